// Calls of the files tool as the engine would make them, in a granted folder of the test.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callMutation, callRead, reconcileMutation } from '#main/tools/call-tool.ts';
import { createFilesTool } from '#main/tools/files/files.ts';
import type { MutationOutcome, ReadOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { testHost } from '#test/tools/call-host.ts';

export interface Files {
  /** The granted folder. */
  readonly folder: string;
  /** Next to it, not granted. */
  readonly outside: string;
  /** A path in the granted folder. */
  at(...names: string[]): string;
  read(method: string, params: object): Promise<ReadOutcome>;
  mutate(method: string, params: object): Promise<MutationOutcome>;
  /** As if it had been sent this long after now: a fresh folder is old then. */
  reconcile(method: string, params: object, laterMs?: number): Promise<ReconcileOutcome>;
}

export function filesIn(grant: object = {}, keptOut: readonly string[] = []): Files {
  const root = tempFolder();
  const [folder, outside] = [join(root, 'granted'), join(root, 'outside')];
  mkdirSync(folder);
  mkdirSync(outside);
  const tools = { files: createFilesTool(keptOut) };
  const call = (method: string, params: object) => ({
    namespace: 'files',
    method,
    params,
    grant: { folders: [folder], ...grant },
    effectId: 'effect-1',
  });
  return {
    folder,
    outside,
    at: (...names) => join(folder, ...names),
    read: (method, params) => callRead(tools, call(method, params), testHost()),
    mutate: (method, params) => callMutation(tools, call(method, params), testHost()),
    reconcile: (method, params, laterMs = 0) => {
      const sentAt = Date.now() + laterMs;
      return reconcileMutation(tools, { ...call(method, params), sentAt }, testHost());
    },
  };
}
