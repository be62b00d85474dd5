// Probes whether this machine can create network namespaces, and whether its kernel can delay and drop
// packets in them (netem).

import { capture, findProgram } from './processes.mjs';

/** @typedef {{ ok: true } | { ok: false, reason: string }} Support */

const PROGRAMS = ['unshare', 'nsenter', 'ip', 'tc'];
const PAIR = 'ip link add near type veth peer name far';
const NETEM = 'tc qdisc add dev near root netem delay 5ms loss 1%';

/** @returns {string[]} the programs that are not installed */
export function missingNetworkPrograms() {
  return PROGRAMS.filter((name) => findProgram(name) === null);
}

/** @returns {Promise<{ namespaces: Support, netem: Support }>} */
export async function probeNetworks() {
  const missing = missingNetworkPrograms();
  if (process.platform !== 'linux') return neither('only Linux has network namespaces');
  if (missing.length > 0) return neither(`not installed: ${missing.join(', ')}`);
  const made = await inNewNetwork(`${PAIR} && ip link add hub type bridge && unshare -n true`);
  if (!made.ok) return neither(`a network namespace could not be created (${lastLine(made)})`);
  const emulated = await inNewNetwork(`${PAIR} && ${NETEM}`);
  return {
    namespaces: { ok: true },
    netem: emulated.ok
      ? { ok: true }
      : {
          ok: false,
          reason: `the kernel has no netem to delay and drop packets (${lastLine(emulated)})`,
        },
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
  const missing = { ok: /** @type {const} */ (false), reason };
  return { namespaces: missing, netem: missing };
}
