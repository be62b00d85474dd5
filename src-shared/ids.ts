// Ids. Where two devices must derive the same id independently, the id is a hash of the identifying
// fields; everywhere else it is a ULID.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Lane } from '#shared/session-enums.ts';

export interface IdSource {
  /** Sorts by creation time. */
  ulid(): string;
  /** Version 4, as spec 001 requires for the run log. */
  uuid(): string;
}

let hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** Installs a faster SHA-256; ids are computed in hot paths. */
export function useSha256(faster: (text: string) => string): void {
  hashText = faster;
}

export function sha256Hex(text: string): string {
  return hashText(text);
}

/** 128 bits rule out collisions and halve the index size of a full hash. */
function hashId(kind: string, ...parts: readonly (string | number)[]): string {
  // JSON distinguishes ('a','bc') from ('ab','c').
  return sha256Hex(JSON.stringify([kind, ...parts])).slice(0, 32);
}

/** Repeating a create request returns the same workflow. */
export const workflowId = (requestId: string): string => hashId('workflow', requestId);

export const topicId = (workflow: string, name: string): string => hashId('topic', workflow, name);

export const eventId = (topic: string, messageId: string): string =>
  hashId('event', topic, messageId);

export const mutationId = (handlerRunId: string): string => hashId('mutation', handlerRunId);

/**
 * The same on every device and in every retry, because it hashes the handler and its events. A rerun
 * has new attempt numbers and is therefore a new effect.
 */
export const effectId = (
  workflow: string,
  handlerName: string,
  reserved: readonly { readonly eventId: string; readonly attempt: number }[],
): string =>
  hashId(
    'effect',
    workflow,
    handlerName,
    ...reserved.map(({ eventId: event, attempt }) => `${event}:${attempt}`).toSorted(),
  );

export const handlerStateId = (workflow: string, handlerName: string): string =>
  hashId('handler_state', workflow, handlerName);

/** A decision that is sent twice has one id. */
export const resolutionId = (requestId: string): string => hashId('resolution', requestId);

/** Every device that detects the incident writes the same row. */
export const incidentId = (kind: string, workflow: string, about: string): string =>
  hashId('incident', kind, workflow, about);

/** An intent that is sent twice has one id. */
export const intentId = (requestId: string): string => hashId('intent', requestId);

export const scriptId = (workflow: string, sha: string): string => hashId('script', workflow, sha);

export const scriptRunId = (workflow: string, lane: Lane, startRequestId: string): string =>
  hashId('script_run', workflow, lane, startRequestId);

/** The same delivery through the same trigger has one id on every device. */
export const inputId = (workflow: string, trigger: string, dedupKey: string): string =>
  hashId('trigger_event', workflow, trigger, dedupKey);

/** Each input has one run. */
export const automationRunId = (input: string): string => hashId('automation_run', input);

/** A completion that is reported twice has one id. */
export const completionId = (run: string, cause: string): string =>
  hashId('completion', run, cause);

/** A handler run or a request attaches a name once to an input. */
export const artifactId = (run: string, name: string, cause: string): string =>
  hashId('artifact', run, name, cause);
