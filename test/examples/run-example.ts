// An example as a person would use it: its file with their own places in it, on a real host with
// the real tools.
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { succeed } from '#test/support/calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export const EXAMPLES = new URL('../../examples/', import.meta.url);

export interface RunningExample {
  readonly host: Host;
  readonly workflowId: string;
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  /** Runs a producer and lets everything that follows be done. */
  run(producer: string): Promise<void>;
  /** Lets everything that can be done now be done. */
  settled(): Promise<void>;
  /** Handler, phase and effect of each run, in the order in which they began. */
  runs(): Promise<string[]>;
  inbox(): Promise<InboxItem[]>;
}

/** `places`: what stands in the file, and what stands there in this test. */
export async function startExample(
  name: string,
  places: { readonly [text: string]: string },
  secrets: { readonly [name: string]: string } = {},
): Promise<RunningExample> {
  const host = createTestHost();
  const call: RunningExample['call'] = (callName, input) => succeed(host.dispatch, callName, input);
  for (const [secret, value] of Object.entries(secrets)) {
    await call('secrets.set', { name: secret, value });
  }
  const path = join(tempFolder(), name);
  writeFileSync(path, withPlaces(readFileSync(new URL(name, EXAMPLES), 'utf8'), places));
  const { workflowId } = await call('workflows.add', { path });
  const settled = async (): Promise<void> => {
    // Waking is put off to the next turn.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await host.engine.idle();
    }
  };
  await settled();
  return {
    host,
    workflowId,
    call,
    settled,
    run: async (producer) => {
      const requestId = `${producer} ${performance.now()}`;
      await call('workflows.runNow', { workflowId, producer, requestId });
      await settled();
    },
    runs: async () => {
      const { runs } = await call('handlerRuns.list', { workflowId, limit: 200 });
      return runs.toReversed().map(brief);
    },
    inbox: async () => (await call('inbox.list', {})).items,
  };
}

function brief({ handlerName, phase, effect, error }: HandlerRunView): string {
  const words = [handlerName, phase, effect ?? 'no effect', error ?? ''];
  return words.join(' ').trim();
}

/** A place that is not in the file is a mistake of the test. */
function withPlaces(source: string, places: { readonly [text: string]: string }): string {
  let text = source;
  for (const [place, here] of Object.entries(places)) {
    if (!text.includes(place)) throw new Error(`The example has no "${place}".`);
    text = text.replaceAll(place, here);
  }
  return text;
}

export async function practiceService(): Promise<Practice & { readonly host: string }> {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  return { ...practice, host: new URL(practice.url).host };
}

/** The next effect happens, and its answer is lost. */
export async function loseNextAnswer(practice: Practice): Promise<void> {
  const response = await fetch(`${practice.url}/faults`, {
    method: 'POST',
    body: JSON.stringify({ mode: 'drop_answer' }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** A file that nobody has touched for `days`. */
export function oldFile(folder: string, name: string, content: string, days = 1): void {
  const path = join(folder, name);
  writeFileSync(path, content);
  const then = Date.now() / 1000 - days * 86_400;
  utimesSync(path, then, then);
}

/** The mail account of an example, with a server of this test in its place. */
export function mailPlaces(smtpPort: number): { [text: string]: string } {
  return {
    "host: 'smtp.example.org', port: 465": `host: '127.0.0.1', port: ${smtpPort}`,
    // Nothing listens on port 1: the copy of a sent mail is not filed, which changes nothing.
    "host: 'imap.example.org', port: 993": `host: '127.0.0.1', port: 1`,
  };
}
