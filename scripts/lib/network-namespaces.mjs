// Whether this machine lets us make networks of our own (Linux network namespaces), and whether its
// kernel can delay and lose packets there.

import { capture, findProgram } from './processes.mjs';

/** @typedef {{ ok: true } | { ok: false, reason: string }} Ability */

const PROGRAMS = ['unshare', 'nsenter', 'ip', 'tc'];
const PAIR = 'ip link add near type veth peer name far';
const NETEM = 'tc qdisc add dev near root netem delay 5ms loss 1%';

/** @returns {string[]} programs that are not here */
export function missingNetworkPrograms() {
  return PROGRAMS.filter((name) => findProgram(name) === null);
}

/** @returns {Promise<{ namespaces: Ability, netem: Ability }>} */
export async function probeNetworks() {
  const missing = missingNetworkPrograms();
  if (process.platform !== 'linux') return neither('network namespaces are of Linux only');
  if (missing.length > 0) return neither(`there is no ${missing.join(', ')}`);
  const made = await inNewNetwork(`${PAIR} && ip link add hub type bridge && unshare -n true`);
  if (!made.ok) return neither(`no network namespace can be made here (${lastLine(made)})`);
  const emulated = await inNewNetwork(`${PAIR} && ${NETEM}`);
  return {
    namespaces: { ok: true },
    netem: emulated.ok
      ? { ok: true }
      : { ok: false, reason: `the kernel cannot delay and lose packets (${lastLine(emulated)})` },
  };
}

/** @param {string} commands */
function inNewNetwork(commands) {
  return capture('unshare', ['-rn', 'sh', '-c', commands], { timeoutMs: 10_000 });
}

/** @param {{ output: string, ending: string }} outcome */
function lastLine({ output, ending }) {
  return output.trim().split('\n').at(-1) || ending;
}

/** @param {string} reason */
function neither(reason) {
  const no = { ok: /** @type {const} */ (false), reason };
  return { namespaces: no, netem: no };
}
