// `ctx.artifacts`: reads the artifacts of the inputs behind an event, and collects those that a phase
// writes. Their content is put on disk before the run's commit, and their rows are written with it, so
// a phase that starts over leaves and doubles nothing.
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HostReply } from '#main/sandbox/sandbox.ts';
import { artifactsOf, byTime } from '#main/input-lifecycle/input-artifacts.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { automationRunId } from '#shared/ids.ts';
import {
  defaultType,
  isJsonType,
  writeArtifactSchema,
  type Artifact,
  type WriteArtifact,
} from '#shared/inputs/artifacts.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { MAX_ARTIFACT_WRITES } from '#shared/limits.ts';

export interface WrittenArtifact {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
  /** The inputs that it is attached to. */
  readonly inputs: readonly string[];
}

/** The content that a row of the commit refers to is on disk. */
export interface SavedArtifact extends Omit<WrittenArtifact, 'content'> {
  readonly bytes: number;
  readonly sha256: string;
}

interface Options {
  readonly context: EngineContext;
  readonly workflowId: string;
  /** The inputs of the events that the run reserved. */
  readonly inputs: readonly string[];
  /** In a producer: whether this run registered an input with this id. Null elsewhere. */
  readonly isRegistered: ((inputId: string) => boolean) | null;
}

export class ArtifactCalls {
  readonly written: WrittenArtifact[] = [];
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  list(eventId: string): HostReply {
    const found = this.#artifactsBehind(eventId);
    if (found === null) return logicError(unknownEvent(eventId));
    return { type: 'value', value: found.map(toView) };
  }

  async read(eventId: string, name: string): Promise<HostReply> {
    const found = this.#artifactsBehind(eventId);
    if (found === null) return logicError(unknownEvent(eventId));
    const artifact = found.findLast((one) => one.name === name);
    if (!artifact) return { type: 'value', value: null };
    const read = await this.#options.context.artifacts.read(artifact);
    if (read.type === 'unavailable') {
      return { type: 'error', message: read.message, errorType: 'network' };
    }
    const content = contentOf(artifact.type, read.content);
    return { type: 'value', value: { ...toView(artifact), ...content } };
  }

  write(given: Json): HostReply {
    const parsed = writeArtifactSchema.safeParse(given);
    if (!parsed.success) {
      const why = z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
      return logicError(
        `ctx.artifacts.write() got an invalid artifact: ${why}. It was not written.`,
      );
    }
    const artifact = parsed.data;
    const inputs = this.#inputsOf(artifact);
    if (typeof inputs === 'string') return logicError(inputs);
    if (this.written.length >= MAX_ARTIFACT_WRITES) {
      return logicError(`A run may write at most ${MAX_ARTIFACT_WRITES} artifacts.`);
    }
    if (this.written.some((one) => one.name === artifact.name && overlaps(one.inputs, inputs))) {
      return logicError(
        `This run has written an artifact "${artifact.name}" already. The second one was not written. Give it another name.`,
      );
    }
    // The sandbox has limited the size of the whole argument.
    const content = bytesOf(artifact);
    const type = artifact.type ?? defaultType(artifact);
    this.written.push({ name: artifact.name, type, content, inputs });
    const value = {
      sha256: hash('sha256', content),
      bytes: content.length,
      inputs: inputs.length,
    };
    return { type: 'value', value };
  }

  /** The inputs to attach it to, or why there are none. */
  #inputsOf({ input, name }: WriteArtifact): readonly string[] | string {
    const { isRegistered, inputs } = this.#options;
    if (isRegistered === null) {
      return input === undefined
        ? inputs
        : `Only a producer names the input of an artifact. "${name}" was not written: leave "input" out.`;
    }
    if (input === undefined)
      return `In run(), ctx.artifacts.write() needs the id that ctx.registerInput() returned as "input". "${name}" was not written.`;
    return isRegistered(input)
      ? [input]
      : `This run didn't register the input "${input}". The artifact "${name}" was not written.`;
  }

  /** Null if this workflow has no such event. */
  #artifactsBehind(eventId: string): Artifact[] | null {
    const { context, workflowId } = this.#options;
    const event = context.stores.events.get(eventId);
    if (event?.workflowId !== workflowId) return null;
    return inputsOfEvents([event])
      .flatMap((input) => artifactsOf(context.stores, automationRunId(input)))
      .toSorted(byTime);
  }
}

/** Puts the content on disk. Nothing refers to it before the commit, so a crash leaves no trace. */
export async function putArtifacts(
  { artifacts }: EngineContext,
  written: readonly WrittenArtifact[],
): Promise<SavedArtifact[]> {
  return Promise.all(
    written.map(async ({ content, ...rest }) => {
      const { ref, bytes } = await artifacts.put(content);
      return { ...rest, bytes, sha256: ref };
    }),
  );
}

/** Call inside the write that commits the run. */
export function attachArtifacts(
  { stores }: EngineContext,
  handlerRunId: string,
  saved: readonly SavedArtifact[],
): void {
  for (const { inputs, ...artifact } of saved) {
    for (const input of inputs) {
      const runId = automationRunId(input);
      stores.artifacts.insert({ ...artifact, runId, maker: 'handler', cause: handlerRunId });
    }
  }
}

function overlaps(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((input) => other.includes(input));
}

function bytesOf({ text, json, base64 }: WriteArtifact): Uint8Array {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return Buffer.from(text ?? canonicalJson(json ?? null), 'utf8');
}

function toView({ name, type, bytes, sha256, createdAt }: Artifact): { [key: string]: Json } {
  return { name, type, bytes, sha256, createdAt };
}

/** `json` for JSON, `text` for other text, `base64` for everything else. */
function contentOf(type: string, content: Uint8Array): { [key: string]: Json } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    if (!isJsonType(type)) return { text };
    return { text, json: parseExactJson(text) };
  } catch {
    return { base64: Buffer.from(content).toString('base64') };
  }
}

function unknownEvent(eventId: string): string {
  return `This workflow has no event "${eventId}". Pass an event that ctx.peek() returned, or one of prepared.reservations.`;
}

function logicError(message: string): HostReply {
  return { type: 'error', message, errorType: 'logic' };
}
