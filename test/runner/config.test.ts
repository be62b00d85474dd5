// The settings of the runner, from environment variables.
import { expect, test } from 'vitest';
import { runnerConfig } from '#main/runner/config.ts';

test('[RU-11] only RUNNER_ENABLED=true enables the runner; invalid numbers are refused with their name', () => {
  expect(runnerConfig('/d', { RUNNER_ENABLED: 'true' })).toMatchObject({ isEnabled: true });
  for (const value of [undefined, '', '1', 'TRUE', 'yes']) {
    expect(runnerConfig('/d', { RUNNER_ENABLED: value }).isEnabled).toBe(false);
  }
  expect(runnerConfig('/d', { RUNNER_MAX_QUEUE_SIZE: '7' }).maxQueueSize).toBe(7);
  for (const value of ['0', '-1', '1.5', 'many']) {
    expect(() => runnerConfig('/d', { RUNNER_MAX_QUEUED_PER_USER: value })).toThrow(
      `RUNNER_MAX_QUEUED_PER_USER is "${value}"`,
    );
  }
});

test('[RU-11] an empty variable counts as unset', () => {
  const usual = { logDir: '/d/runner-logs', registryPath: '/d/runner.json' };
  expect(runnerConfig('/d', {})).toMatchObject(usual);
  expect(runnerConfig('/d', { RUNNER_LOG_DIR: '', RUNNER_REGISTRY: '' })).toMatchObject(usual);
  const names = ['RUNNER_MAX_QUEUE_SIZE', 'RUNNER_MAX_QUEUED_PER_USER', 'RUNNER_CONCURRENCY'];
  const empty = Object.fromEntries(
    [...names, 'RUNNER_MAX_LOG_DIR_BYTES'].map((name) => [name, '']),
  );
  expect(runnerConfig('/d', empty)).toEqual(runnerConfig('/d', {}));
  const chosen = { RUNNER_LOG_DIR: '/logs', RUNNER_REGISTRY: '/r.json' };
  expect(runnerConfig('/d', chosen)).toMatchObject({ logDir: '/logs', registryPath: '/r.json' });
});
