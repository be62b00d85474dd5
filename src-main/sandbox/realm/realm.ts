// The source of what is in every context before a person's code: built from the functions beside
// this file, as their own text. So they are checked and read like all our code, and run in QuickJS.
import {
  DEFAULT_PEEK,
  MAX_LOG_LINE_CHARS,
  MAX_MESSAGE_CHARS,
  MAX_OPEN_CALLS,
  MAX_TOLD_CHARS,
  MAX_VALUE_BYTES,
} from '#main/sandbox/limits.ts';
import { makeCalls } from '#main/sandbox/realm/calls.ts';
import { installConsole } from '#main/sandbox/realm/console.ts';
import { makeContext } from '#main/sandbox/realm/context.ts';
import { makeDescribe } from '#main/sandbox/realm/describe.ts';
import { makeDoors } from '#main/sandbox/realm/doors.ts';
import { makeErrors } from '#main/sandbox/realm/errors.ts';
import { makePlain } from '#main/sandbox/realm/plain.ts';
import { installTime } from '#main/sandbox/realm/time.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH, MAX_PEEK, MAX_PUBLISHES } from '#shared/limits.ts';

export function realmSource(): string {
  return `((host) => {
    'use strict';
    const plain = (${makePlain.toString()})(host.byteLength, ${MAX_VALUE_BYTES});
    const chance = (${installTime.toString()})(host.elapsed);
    (${installConsole.toString()})(host.log, ${MAX_LOG_LINE_CHARS});
    const errors = (${makeErrors.toString()})(plain, ${MAX_MESSAGE_CHARS});
    const calls = (${makeCalls.toString()})(plain, errors, ${MAX_OPEN_CALLS}, ${MAX_TOLD_CHARS});
    const peek = { byDefault: ${DEFAULT_PEEK}, most: ${MAX_PEEK} };
    const publishes = { idChars: ${MAX_ID_LENGTH}, titleChars: ${MAX_NAME_LENGTH}, most: ${MAX_PUBLISHES} };
    const makeContext = (${makeContext.toString()})(plain, calls, peek, publishes);
    const describe = (${makeDescribe.toString()})();
    return (${makeDoors.toString()})({ plain, chance, errors, calls, makeContext, describe });
  })`;
}

/** What `import … from 'holdfast'` gives. */
export const HOLDFAST_MODULE = `
export const workflow = (definition) => {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new TypeError('workflow() takes one object: { name, topics, producers, consumers }.');
  }
  return definition;
};
`;
