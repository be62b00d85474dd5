// Identity. Where two devices that never met must name the same thing alike, the id is a hash of
// what makes it that thing; everywhere else it is a ULID.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Lane } from '#shared/session-enums.ts';

export interface IdSource {
  /** Sorts by time of creation. */
  ulid(): string;
  /** Version 4, as the run log of spec 001 asks for. */
  uuid(): string;
}

let hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** For a host that has a SHA-256 faster than ours: every id is one. */
export function useSha256(faster: (text: string) => string): void {
  hashText = faster;
}

export function sha256Hex(text: string): string {
  return hashText(text);
}

/** 128 bits are enough to never meet by chance, and half the index size of a full hash. */
function hashId(kind: string, ...parts: readonly (string | number)[]): string {
  // JSON keeps ('a','bc') and ('ab','c') apart.
  return sha256Hex(JSON.stringify([kind, ...parts])).slice(0, 32);
}

/** A creation asked for twice makes one workflow. */
export const workflowId = (requestId: string): string => hashId('workflow', requestId);

export const topicId = (workflow: string, name: string): string => hashId('topic', workflow, name);

export const eventId = (topic: string, messageId: string): string =>
  hashId('event', topic, messageId);

export const mutationId = (handlerRunId: string): string => hashId('mutation', handlerRunId);

/**
 * The same on every device and every retry: what is done, by whom, for which events. A rerun on
 * purpose has other attempt numbers, so it is another effect.
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

/** The same decision sent twice is one. */
export const resolutionId = (requestId: string): string => hashId('resolution', requestId);

/** Every device that finds it makes the same row. */
export const incidentId = (kind: string, workflow: string, about: string): string =>
  hashId('incident', kind, workflow, about);

/** The same wish sent twice is one. */
export const intentId = (requestId: string): string => hashId('intent', requestId);

export const scriptId = (workflow: string, sha: string): string => hashId('script', workflow, sha);

export const scriptRunId = (workflow: string, lane: Lane, startRequestId: string): string =>
  hashId('script_run', workflow, lane, startRequestId);

/** What came in, once: the same thing by the same way, on whichever device. */
export const inputId = (workflow: string, trigger: string, dedupKey: string): string =>
  hashId('trigger_event', workflow, trigger, dedupKey);

/** One run for one input. */
export const automationRunId = (input: string): string => hashId('automation_run', input);

/** What ended a run well: the same end told twice is one. */
export const completionId = (run: string, cause: string): string =>
  hashId('completion', run, cause);
