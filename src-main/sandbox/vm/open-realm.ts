// Puts our realm into a context, and hands out its doors.
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten';
import { realmSource } from '#main/sandbox/realm/realm.ts';

export const DOORS = [
  'begin',
  'adopt',
  'settle',
  'start',
  'answer',
  'take',
  'describe',
  'where',
] as const;
export type Door = (typeof DOORS)[number];

export interface RealmHost {
  /** Milliseconds since the phase began. */
  elapsed(): number;
  /** `quoted` is JSON of the text. False: no more lines are wanted. */
  log(level: string, quoted: string): boolean;
}

export function openRealm(
  context: QuickJSContext,
  host: () => RealmHost,
): Record<Door, QuickJSHandle> {
  const object = context.newObject();
  const give = (name: string, call: (...args: QuickJSHandle[]) => QuickJSHandle): void =>
    context.setProp(object, name, context.newFunction(name, call));
  const textOf = (handle: QuickJSHandle | undefined): string =>
    handle ? context.getString(handle) : '';

  give('elapsed', () => context.newNumber(host().elapsed()));
  give('log', (level, quoted) =>
    host().log(textOf(level), textOf(quoted)) ? context.true : context.false,
  );
  give('byteLength', (text) => context.newNumber(Buffer.byteLength(textOf(text))));

  const open = context.evalCode(realmSource(), 'holdfast:realm', { type: 'global' });
  const realm = context.unwrapResult(
    context.callFunction(context.unwrapResult(open), context.undefined, object),
  );
  // Loads the module now, so that no script has to wait for it.
  const load = context.evalCode(`import 'holdfast'`, 'holdfast:load', { type: 'module' });
  context.unwrapResult(load);
  return Object.fromEntries(DOORS.map((door) => [door, context.getProp(realm, door)])) as Record<
    Door,
    QuickJSHandle
  >;
}
