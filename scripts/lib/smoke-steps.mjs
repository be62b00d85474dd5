// Steps of a smoke test. Each prints one line; the first failure ends the test.

const TIMEOUT_MS = 60_000;

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
 * Polls `find` until it returns something.
 *
 * @template Found
 * @param {() => Promise<Found | undefined>} find
 * @returns {Promise<Found>}
 */
export async function until(find) {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('Timed out after a minute.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * @param {boolean} isMet
 * @param {string} expectation
 */
export function expectThat(isMet, expectation) {
  if (!isMet) throw new Error(`Expected: ${expectation}.`);
}

/**
 * Reads the first line of `holdfast serve --json`.
 *
 * @param {import('node:child_process').ChildProcess} host
 * @returns {Promise<{ url: string, token: string }>}
 */
export function readServeHello(host) {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    host.stdout?.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('\n')) resolve(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))));
    });
    host.stderr?.on('data', (chunk) => (stderr += chunk));
    host.once('exit', () => reject(new Error(`The host did not start: ${stderr}`)));
  });
}
