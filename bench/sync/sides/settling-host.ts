// A whole host in its own process. `settling-host.ts own FOLDER PORT` runs a workflow whose effects
// all have an unknown outcome; `settling-host.ts help FOLDER LINK` joins it and settles them.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveSide } from '../../engine/side.ts';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { InboxItem } from '#shared/api/inbox.ts';

export interface DeviceAnswers {
  readonly link: string;
  /** Makes one more effect with an unknown outcome. */
  readonly act: null;
  /** Milliseconds from the decision on this device until the owner's commit is visible here. */
  readonly settle: number;
}

const [role, folder, other] = process.argv.slice(2) as ['own' | 'help', string, string];
const dataDir = join(folder, role);
const links = { host: '127.0.0.1', port: 0 };
const host = createHost({ dataDir, createLog: createSilentLog, links });

async function call<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const answer = await host.dispatch(name, input);
  if (answer.ok) return answer.output as CallOutput<Name>;
  throw new Error(answer.error.message);
}

const SOURCE = `import { workflow } from 'holdfast';

export default workflow({
  name: 'unknown',
  uses: { http: { hosts: ['127.0.0.1:${other}'] } },
  topics: ['asked'],
  consumers: {
    act: {
      subscribes: ['asked'],
      async prepare(ctx) {
        const [event] = await ctx.peek('asked', { limit: 1 });
        return { reservations: event ? [event] : [] };
      },
      async mutate(ctx) {
        await ctx.tools.http.post({ url: 'http://127.0.0.1:${other}/', json: {} });
      },
    },
  },
});
`;

let workflowId = '';
if (role === 'own') {
  const path = join(folder, 'unknown.ts');
  writeFileSync(path, SOURCE);
  ({ workflowId } = await call('workflows.add', { path }));
} else {
  await call('devices.join', { link: other });
}

/** Calls `find` now and after every change, and resolves with the first value that it returns. */
function untilFound<Found>(find: () => Promise<Found | undefined>): Promise<Found> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      find().then((value) => {
        if (value === undefined) return;
        unsubscribe();
        resolve(value);
      }, reject);
    };
    const unsubscribe = host.folder.db.changes.subscribe(check);
    check();
  });
}

type UnknownEffect = InboxItem & { readonly type: 'unknown_effect' };

async function unknownEffect(): Promise<UnknownEffect | undefined> {
  const { items } = await call('inbox.list', {});
  return items.find((item): item is UnknownEffect => item.type === 'unknown_effect');
}

async function act(): Promise<null> {
  const messageId = randomUUID();
  const title = 'Act';
  await call('events.publish', { workflowId, topic: 'asked', messageId, title, payload: {} });
  await untilFound(unknownEffect);
  return null;
}

async function settle(): Promise<number> {
  const { mutation, handlerRunId } = await untilFound(unknownEffect);
  const decidedAt = performance.now();
  await call('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: mutation.id,
    resolution: 'user_assert_applied',
    confirmed: false,
  });
  await untilFound(async () =>
    host.stores.handlerRuns.get(handlerRunId)?.state.phase === 'committed' ? true : undefined,
  );
  return performance.now() - decidedAt;
}

serveSide({ link: async () => (await call('devices.invite', {})).link, act, settle }, () =>
  host.close(),
);
