// The person of a cell: checks the outside service and answers the inbox truthfully.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '#main/host/host.ts';
import { messageIdOf } from '#main/tools/mail/compose.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import type { HostJob } from '#test/crash/matrix/cell.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';

type UnknownEffect = InboxItem & { type: 'unknown_effect' };

/** Answers every question and unknown outcome. False if there was none. */
export async function answerInbox(host: Host, job: HostJob): Promise<boolean> {
  const { items } = (await call(host, 'inbox.list', {})) as { items: InboxItem[] };
  let didAnswer = false;
  for (const item of items) {
    if (item.type === 'question') {
      const answer = `yes to ${item.question}`;
      await call(host, 'inbox.answer', { mutationId: item.mutationId, answer });
      didAnswer = true;
    } else if (item.type === 'unknown_effect') {
      await settle(host, job, item);
      didAnswer = true;
    }
  }
  return didAnswer;
}

async function settle(host: Host, job: HostJob, { mutation }: UnknownEffect): Promise<void> {
  const happened = await didHappen(job, mutation);
  const truth = happened ? 'user_assert_applied' : 'user_assert_failed';
  // After a resend with an unknown outcome, the person checks the outside service.
  const hasRetried = mutation.resolutions.some(({ resolution }) => resolution === 'user_retry');
  const again = happened || hasRetried ? truth : 'user_retry';
  const chosen = { truth, retry: again, skip: 'user_skip' }[job.answer];
  const decision = { requestId: randomUUID(), mutationId: mutation.id, resolution: chosen };
  await call(host, 'inbox.resolve', { ...decision, confirmed: chosen === 'user_retry' });
}

async function didHappen(job: HostJob, mutation: UnknownEffect['mutation']): Promise<boolean> {
  const params = mutation.params as { path?: string; from?: string; to?: string; text?: string };
  switch (job.effect) {
    case 'files.write':
      return (
        existsSync(params.path ?? '') && readFileSync(params.path ?? '', 'utf8') === params.text
      );
    case 'files.append':
      return readFileSync(join(job.folder, 'log.txt'), 'utf8').includes(mutation.effectId);
    case 'files.move':
      return existsSync(params.to ?? '') && !existsSync(params.from ?? '');
    default: {
      const key = job.effect === 'mail.send' ? messageIdOf(mutation.effectId) : mutation.effectId;
      const effects = await effectsOf(job.outsideUrl, job.cellId);
      return effects.some((effect) => effect.key === key);
    }
  }
}

export async function effectsOf(outsideUrl: string, cellId: string): Promise<OutsideEffect[]> {
  const answer = await fetch(`${outsideUrl}/effects/${cellId}`);
  return (await answer.json()) as OutsideEffect[];
}

export async function call(host: Host, name: string, input: unknown): Promise<unknown> {
  const answer = await host.dispatch(name, input);
  if (answer.ok) return answer.output;
  throw new Error(`${name}: ${answer.error.message}`);
}
