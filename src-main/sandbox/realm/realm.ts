// The source of the realm that every context contains before user code. It is assembled from the
// source text of the functions in this folder, so they are type-checked like all other code.
import {
  DEFAULT_PEEK,
  MAX_LOG_LINE_CHARS,
  MAX_MESSAGE_CHARS,
  MAX_OPEN_CALLS,
  MAX_DEFERRED_CHARS,
  MAX_VALUE_BYTES,
} from '#main/sandbox/limits.ts';
import { makeCalls } from '#main/sandbox/realm/calls.ts';
import { installConsole } from '#main/sandbox/realm/console.ts';
import { makeContext } from '#main/sandbox/realm/context.ts';
import { makeDescribe } from '#main/sandbox/realm/describe.ts';
import { makeEntryPoints } from '#main/sandbox/realm/entry-points.ts';
import { makeErrors } from '#main/sandbox/realm/errors.ts';
import { makeStrictJson } from '#main/sandbox/realm/strict-json.ts';
import { installTime } from '#main/sandbox/realm/time.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH, MAX_PEEK, MAX_PUBLISHES } from '#shared/limits.ts';

/** Frames of the realm are removed later, so this is more than a message shows. */
const MAX_STACK_FRAMES = 100;

export function realmSource(): string {
  return `((host) => {
    'use strict';
    // Only promises may queue jobs, and a stack must contain the frames of the author's file.
    delete globalThis.queueMicrotask;
    Error.stackTraceLimit = ${MAX_STACK_FRAMES};
    const json = (${makeStrictJson.toString()})(host.byteLength, ${MAX_VALUE_BYTES});
    const time = (${installTime.toString()})(host.elapsed);
    (${installConsole.toString()})(host.log, ${MAX_LOG_LINE_CHARS});
    const errors = (${makeErrors.toString()})(json, ${MAX_MESSAGE_CHARS});
    const calls = (${makeCalls.toString()})(json, errors, ${MAX_OPEN_CALLS}, ${MAX_DEFERRED_CHARS});
    const peek = { byDefault: ${DEFAULT_PEEK}, most: ${MAX_PEEK} };
    const publishes = { idChars: ${MAX_ID_LENGTH}, titleChars: ${MAX_NAME_LENGTH}, most: ${MAX_PUBLISHES} };
    const makeContext = (${makeContext.toString()})(json, calls, peek, publishes);
    const describe = (${makeDescribe.toString()})();
    return (${makeEntryPoints.toString()})({ json, time, errors, calls, makeContext, describe });
  })`;
}

/** The module that `import … from 'holdfast'` loads. */
export const HOLDFAST_MODULE = `
export const workflow = (definition) => {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new TypeError('workflow() takes one object: { name, topics, producers, consumers }.');
  }
  return definition;
};
`;
