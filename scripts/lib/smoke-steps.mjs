// Steps of a smoke test: each prints one line, and the first that fails ends it.

const WITHIN_MS = 60_000;

/**
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function step(name, work) {
  const startedAt = performance.now();
  try {
    const result = await work();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`ok     ${name} (${seconds} s)\n`);
    return result;
  } catch (error) {
    process.stdout.write(`FAILED ${name}\n`);
    throw error;
  }
}

/**
 * @template Found
 * @param {() => Promise<Found | undefined>} look
 * @returns {Promise<Found>}
 */
export async function until(look) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('It did not come within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * @param {boolean} holds
 * @param {string} what
 */
export function expectThat(holds, what) {
  if (!holds) throw new Error(`It is not so: ${what}.`);
}

/**
 * The first line of `holdfast serve --json`.
 *
 * @param {import('node:child_process').ChildProcess} host
 * @returns {Promise<{ url: string, token: string }>}
 */
export function helloOf(host) {
  return new Promise((resolve, reject) => {
    let said = '';
    let failed = '';
    host.stdout?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('\n')) resolve(JSON.parse(said.slice(0, said.indexOf('\n'))));
    });
    host.stderr?.on('data', (chunk) => (failed += chunk));
    host.once('exit', () => reject(new Error(`The host did not start: ${failed}`)));
  });
}
