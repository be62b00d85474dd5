// Scripts of the person: only the allowed ones, once, with a complete log and no process left.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, workflowSource } from '#test/blackbox/harness/source.ts';
import type { JobView } from '#test/blackbox/harness/views.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const runner = theme('runner');
const { scenario } = runner;

interface Script {
  readonly text: string;
  readonly args?: object;
  readonly timeoutSeconds?: number;
  readonly isExecutable?: boolean;
  readonly env?: object;
}

interface Repo {
  readonly folder: string;
  readonly host: Host;
  run(script: string, args?: object, key?: string): Promise<JobView>;
  untilEnded(job: JobView): Promise<JobView>;
  log(job: JobView): Promise<string>;
}

/** A host with these scripts in one repo called "main". */
async function repoWith(
  w: World,
  scripts: { readonly [key: string]: Script },
  env: { readonly [name: string]: string } = { RUNNER_ENABLED: 'true' },
): Promise<Repo> {
  const host = w.unstartedHost({ env });
  const folder = w.folder();
  const registry: { [key: string]: object } = {};
  for (const [key, { text, args = {}, isExecutable = true, ...rest }] of Object.entries(scripts)) {
    writeFileSync(join(folder, `${key}.sh`), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, `${key}.sh`), isExecutable ? 0o755 : 0o644);
    registry[key] = { title: key, executable: `${key}.sh`, args, graceSeconds: 1, ...rest };
  }
  mkdirSync(host.dataDir, { recursive: true });
  writeFileSync(
    join(host.dataDir, 'runner.json'),
    JSON.stringify({ repos: { main: { path: folder } }, scripts: registry }),
  );
  await host.start();
  return {
    folder,
    host,
    run: (scriptKey, args = {}, requestId = crypto.randomUUID()) =>
      host.call('jobs.start', { requestId, scriptKey, repoKey: 'main', args }),
    untilEnded: ({ id }) =>
      w.until(
        'the job has ended',
        () => host.call<JobView>('jobs.get', { jobId: id }),
        ({ status }) => status !== 'queued' && status !== 'running',
      ),
    log: async ({ id }) => (await host.call<{ data: string }>('jobs.log', { jobId: id })).data,
  };
}

scenario('a script runs, and I see what it printed and how it ended', async (w) => {
  const repo = await repoWith(w, { hello: { text: 'echo hello; echo oops >&2; exit 3' } });
  const job = await repo.untilEnded(await repo.run('hello'));
  expectSame('how it ended', [job.status, job.exitCode], ['failed', 3]);
  const log = await repo.log(job);
  expectText('its log', log, 'hello');
  expectText('its log', log, 'oops');
});

scenario('a script is started and followed on the command line', async (w) => {
  const repo = await repoWith(w, {
    greet: { text: 'echo "hello $1"', args: { name: { type: 'string' } } },
  });
  const said = await repo.host.says('runner', 'run', 'greet', 'name=Ada', '--follow');
  expectText('what it printed', said, 'hello Ada');
});

scenario('a script that is not on the list does not run', async (w) => {
  const repo = await repoWith(w, { hello: { text: 'echo hello' } });
  const args = { requestId: 'x', scriptKey: 'other', repoKey: 'main', args: {} };
  await repo.host.refusal('jobs.start', args);
  await repo.host.refuses('runner', 'run', 'other');
  const { jobs } = await repo.host.call<{ jobs: JobView[] }>('jobs.list', {});
  expectSame('jobs', jobs, []);
});

scenario('an argument that is not allowed is named', async (w) => {
  const repo = await repoWith(w, {
    deploy: { text: 'true', args: { to: { type: 'string', choices: ['test', 'live'] } } },
  });
  expectText('the message', await repo.host.refuses('runner', 'run', 'deploy', 'to=moon'), 'to');
  expectText('the message', await repo.host.refuses('runner', 'run', 'deploy', 'x=1'), 'x');
});

scenario(
  'an argument full of shell signs is passed as it is',
  async (w) => {
    const repo = await repoWith(w, {
      print: { text: 'printf "[%s]" "$1"', args: { text: { type: 'string' } } },
    });
    const text = '$(touch stolen); `id` && rm -rf * | "quoted" \'single\'';
    const job = await repo.untilEnded(await repo.run('print', { text }));
    expectText('what it got', await repo.log(job), `[${text}]`);
    expectSame('what a shell would have done', existsSync(join(repo.folder, 'stolen')), false);
  },
  { quick: true },
);

scenario('a canceled script is gone, and so is what it started', async (w) => {
  const repo = await repoWith(w, {
    long: { text: 'sleep 300 & echo "child $!"; wait' },
  });
  const started = await repo.run('long');
  const log = await w.until(
    'it printed the number of its child',
    () => repo.log(started),
    (text) => /child \d+/.test(text),
  );
  await repo.host.says('runner', 'cancel', started.id);
  const job = await repo.untilEnded(started);
  expectSame('how it ended', job.status, 'canceled');
  const child = Number(/child (\d+)/.exec(log)?.[1]);
  expectSame('its child', isAlive(child), false);
});

scenario('a script that takes too long is ended', async (w) => {
  const repo = await repoWith(w, { slow: { text: 'sleep 300', timeoutSeconds: 1 } });
  const job = await repo.untilEnded(await repo.run('slow'));
  expectSame('how it ended', job.status, 'timed_out');
});

scenario('the same request is one job, and another one with its key is refused', async (w) => {
  const repo = await repoWith(w, {
    count: { text: 'echo x >> ran', args: { n: { type: 'integer' } } },
  });
  const first = await repo.run('count', { n: 1 }, 'key-1');
  const again = await repo.run('count', { n: 1 }, 'key-1');
  expectSame('the job', again.id, first.id);
  await repo.untilEnded(first);
  await repo.host.refusal('jobs.start', {
    requestId: 'key-1',
    scriptKey: 'count',
    repoKey: 'main',
    args: { n: 2 },
  });
  expectSame('times it ran', readFileSync(join(repo.folder, 'ran'), 'utf8'), 'x\n');
});

scenario('jobs wait while the runner is switched off, and run when it is on', async (w) => {
  const repo = await repoWith(w, { hello: { text: 'echo x >> ran' } }, {});
  const job = await repo.run('hello');
  expectSame('its status', job.status, 'queued');
  expectText('holdfast jobs', await repo.host.says('jobs'), /switched off|RUNNER_ENABLED/);
  await repo.host.restart({ RUNNER_ENABLED: 'true' });
  expectSame('how it ended', (await repo.untilEnded(job)).status, 'succeeded');
  expectSame('times it ran', readFileSync(join(repo.folder, 'ran'), 'utf8'), 'x\n');
});

scenario('a queue that is full says so and takes nothing more', async (w) => {
  const repo = await repoWith(w, { hello: { text: 'true' } }, { RUNNER_MAX_QUEUE_SIZE: '2' });
  await repo.run('hello');
  await repo.run('hello');
  const answer = await repo.host.send(
    '/api/runner/jobs',
    JSON.stringify({ repo_key: 'main', script_key: 'hello' }),
  );
  expectSame('the answer', answer.status, 429);
});

scenario('a script that was killed with the host is not run again', async (w) => {
  const repo = await repoWith(w, { long: { text: 'echo x >> ran; echo "me $$"; sleep 300' } });
  const started = await repo.run('long');
  const log = await w.until(
    'it runs',
    () => repo.log(started),
    (text) => /me \d+/.test(text),
  );
  await repo.host.killAndStart();
  const job = await repo.untilEnded(started);
  expectSame('how it ended', [job.status, job.reason], ['failed', 'recovered_after_crash']);
  expectSame('its process', isAlive(Number(/me (\d+)/.exec(log)?.[1])), false);
  expectSame('times it ran', readFileSync(join(repo.folder, 'ran'), 'utf8'), 'x\n');
});

scenario('a workflow runs a script once, also when the host is killed meanwhile', async (w) => {
  const repo = await repoWith(w, { long: { text: 'echo x >> ran; sleep 300' } });
  const deploys = await w.add(
    repo.host,
    workflowSource({
      name: w.name('deploys'),
      uses: `{ runner: { scripts: ['long'] } }`,
      consumers: consumer('deploy', {
        mutate: `await ctx.tools.runner.run({ script: 'long', repo: 'main' });`,
        next: `console.log(outcome.result.status, outcome.result.reason);`,
      }),
    }),
  );
  await deploys.publish('d-1', 1);
  await w.until(
    'it runs',
    () => existsSync(join(repo.folder, 'ran')),
    (isThere) => isThere,
  );
  await repo.host.killAndStart();
  const [run] = await deploys.untilCommitted(1);
  const { logs } = await deploys.run(run?.id ?? '');
  expectSame(
    'what the next step saw',
    logs.map(({ text }) => text),
    ['failed recovered_after_crash'],
  );
  expectSame('times it ran', readFileSync(join(repo.folder, 'ran'), 'utf8'), 'x\n');
});

scenario('a secret that a script prints is not in its log', async (w) => {
  const repo = await repoWith(w, {
    leak: { text: 'echo "key=$DEPLOY_KEY"', env: { secrets: { DEPLOY_KEY: 'deploy-key' } } },
  });
  await repo.host.call('secrets.set', { name: 'deploy-key', value: 'topsecret-0123456789' });
  const job = await repo.untilEnded(await repo.run('leak'));
  const log = await repo.log(job);
  expectText('its log', log, 'key=');
  expectNoText('its log', log, 'topsecret-0123456789');
});

scenario('a broken list of scripts allows nothing and says where it is broken', async (w) => {
  const repo = await repoWith(w, { hello: { text: 'true' } });
  writeFileSync(join(repo.host.dataDir, 'runner.json'), '{"scripts": {"hello": 7}}');
  const text = await w.until(
    'the change is noticed',
    async () => (await repo.host.cli('runner', 'scripts')).text,
    (said) => !said.includes('main'),
  );
  expectText('it names the script', text, 'hello');
  await repo.host.refuses('runner', 'run', 'hello');
});

scenario('a long log is read in parts that fit together', async (w) => {
  const repo = await repoWith(w, {
    many: { text: 'i=0; while [ $i -lt 3000 ]; do echo "line $i ä"; i=$((i+1)); done' },
  });
  const job = await repo.untilEnded(await repo.run('many'));
  let text = '';
  let offset = 0;
  for (let isEnd = false; !isEnd;) {
    const part: { data: string; nextOffset: number; isEnd: boolean } = await repo.host.call(
      'jobs.log',
      { jobId: job.id, offset, limit: 4096 },
    );
    text += part.data;
    offset = part.nextOffset;
    ({ isEnd } = part);
  }
  const lines = [...text.matchAll(/line (\d+) ä/g)].map(([, n]) => Number(n));
  expectThat(
    'every line is there once, in order',
    lines.length === 3000 && lines.every((n, index) => n === index),
    lines.length,
  );
});

scenario('the doctor names a script that cannot be executed', async (w) => {
  const repo = await repoWith(w, { plain: { text: 'true', isExecutable: false } });
  const { text } = await repo.host.cli('doctor');
  expectText('the doctor', text, 'plain');
});

scenario('the doctor names a folder of scripts that is not there', async (w) => {
  const host = w.unstartedHost({ env: { RUNNER_ENABLED: 'true' } });
  mkdirSync(host.dataDir, { recursive: true });
  writeFileSync(
    join(host.dataDir, 'runner.json'),
    JSON.stringify({
      repos: { site: { path: '/nowhere/at/all' } },
      scripts: { deploy: { title: 'Deploy', executable: 'deploy.sh' } },
    }),
  );
  await host.start();
  const { text } = await host.cli('doctor');
  expectText('the doctor', text, '/nowhere/at/all');
});

scenario('the list of scripts says which of them cannot be executed', async (w) => {
  const repo = await repoWith(w, { plain: { text: 'true', isExecutable: false } });
  const { problems } = await repo.host.call<{ problems: readonly string[] }>('runner.overview', {});
  expectText('its problems', problems.join('\n'), 'plain');
});

/** A zombie that nobody waits for is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === 'open' && process.platform !== 'linux';
  }
}
