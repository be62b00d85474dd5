// Wrong arguments.
import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { appVersion } from '#main/platform/app-version.ts';
import { holdfast, holdfastProcess } from '#test/cli/holdfast.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  [['sreve'], /unknown command 'sreve'/],
  [['serve', '--prot', '1'], /unknown option '--prot'/],
  [['serve', '--port', 'x'], /Must be a port number from 0 to 65535\./],
  [['serve', '--port', '65536'], /Must be a port number from 0 to 65535\./],
  [['serve', '--port='], /Must be a port number from 0 to 65535\./],
  [['serve', '--data'], /argument missing/],
  [['serve', 'more'], /too many arguments/],
  [['call'], /missing required argument 'name'/],
  [['call', 'host.info', '{}', '{}'], /too many arguments/],
  [['doctor', 'all'], /too many arguments/],
  [['add'], /missing required argument 'file'/],
  [['resolve', 'abc'], /required option '--as <decision>' not specified/],
  [
    ['resolve', 'abc', '--as', 'maybe'],
    /Allowed choices are happened, did-not-happen, retry, skip/,
  ],
  [['publish', 'a', 'b', '{'], /Must be JSON/],
  [['try', 'a.ts', '--event', 'topic'], /Must look like topic=/],
  [['runs', '--limit', '0'], /Must be a whole number from 1 to 200\./],
  [['secret', 'sett', 'a'], /unknown command 'sett'/],
])(
  '[CL-3] holdfast %j prints a message, exits with 1 and writes nothing',
  async (args, message) => {
    const dataDir = tempFolder();
    vi.stubEnv('HOLDFAST_DATA', dataDir);
    const ended = await holdfast(...args);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect(readdirSync(dataDir)).toEqual([]);
  },
);

test('[CL-3] holdfast without a command lists the commands and exits with an error', async () => {
  const ended = await holdfastProcess();
  expect(ended.code).not.toBe(0);
  for (const command of ['serve', 'doctor', 'call']) expect(ended.stderr).toContain(command);
});

test('[CL-3] the exit code and the message of a wrong argument are those of the process', async () => {
  const ended = await holdfastProcess('sreve');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/unknown command 'sreve'/);
});

test('[CL-3] --help and --version exit with 0', async () => {
  const help = await holdfastProcess('--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const command of ['serve', 'doctor', 'call']) expect(help.stdout).toContain(command);
  expect(await holdfastProcess('--version')).toEqual({
    code: 0,
    stdout: `${appVersion()}\n`,
    stderr: '',
  });
});
