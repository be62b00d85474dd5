// Debian packages, for machines where we are root anyway (containers, CI). On a person's own
// machine nothing is installed behind their back: there we only say what to install.

import { readdirSync } from 'node:fs';

import { capture, findProgram, lastLines } from './processes.mjs';

/** Whether packages may be installed here without asking anyone. */
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
 * @returns {Promise<string[]>} those that are not installed
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
  const listsAreThere = hasPackageLists();
  if (!listsAreThere) await aptGet(['update']);
  let outcome = await aptInstall(packages);
  if (!outcome.ok && listsAreThere) {
    // The lists may be so old that their files are gone from the archive.
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
  // Another apt-get may be at work (two set-ups at once); wait for it rather than fail.
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
