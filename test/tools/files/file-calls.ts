// Calls the files tool as the engine does, in a granted folder of the test.
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
  /** A folder next to it that is not granted. */
  readonly outside: string;
  /** A path in the granted folder. */
  at(...names: string[]): string;
  read(method: string, params: object): Promise<ReadOutcome>;
  mutate(method: string, params: object): Promise<MutationOutcome>;
  /** Reconciles a call that was sent `laterMs` from now, so a new folder counts as older than the call. */
  reconcile(method: string, params: object, laterMs?: number): Promise<ReconcileOutcome>;
}

export function filesIn(grant: object = {}, excludedFolders: readonly string[] = []): Files {
  const root = tempFolder();
  const [folder, outside] = [join(root, 'granted'), join(root, 'outside')];
  mkdirSync(folder);
  mkdirSync(outside);
  const tools = { files: createFilesTool(excludedFolders) };
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
