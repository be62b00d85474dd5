// Installs Debian packages where the scripts run as root anyway (containers, CI). On a person's own
// machine nothing is installed; messages name the packages to install.

import { readdirSync } from 'node:fs';

import { capture, findProgram, lastLines } from './processes.mjs';

/** Whether packages may be installed here without asking. */
export function mayInstallPackages() {
  return (
    process.platform === 'linux' &&
    process.env['HOLDFAST_NO_APT'] !== '1' &&
    process.getuid?.() === 0 &&
    findProgram('apt-get') !== null
  );
}

/**
 * @param {string[]} packages
 * @returns {Promise<string[]>} the packages that are not installed
 */
export async function missingPackages(packages) {
  const states = await Promise.all(packages.map((name) => capture('dpkg', ['-s', name])));
  return packages.filter((_, i) => !/^Status: .* installed$/m.test(states[i]?.stdout ?? ''));
}

/**
 * @param {string[]} packages
 * @param {import('./processes.mjs').Say} say
 * @returns {Promise<{ ok: true } | { ok: false, reason: string }>}
 */
export async function installPackages(packages, say) {
  say(`installing Debian packages: ${packages.join(' ')}`);
  const hasLists = hasPackageLists();
  if (!hasLists) await aptGet(['update']);
  let outcome = await aptInstall(packages);
  if (!outcome.ok && hasLists) {
    // The lists may be outdated and name files that the archive no longer has.
    await aptGet(['update']);
    outcome = await aptInstall(packages);
  }
  if (outcome.ok) return { ok: true };
  const lastLine = lastLines(outcome.output, 1);
  return { ok: false, reason: `apt-get could not install ${packages.join(' ')} (${lastLine})` };
}

/** @param {string[]} packages */
function aptInstall(packages) {
  return aptGet(['install', '-y', '--no-install-recommends', ...packages]);
}

/** @param {string[]} args */
function aptGet(args) {
  // Waits for the lock, because another setup may be running apt-get.
  return capture('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function hasPackageLists() {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => name.includes('_Packages'));
  } catch {
    return false;
  }
}
