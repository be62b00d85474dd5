import { describe, expect, test } from 'vitest';
import { createCommandRegistry, type Command } from '#renderer/commands/command-registry.ts';
import { isHandledByElement, matchKeys, keyName } from '#renderer/commands/match-keys.ts';

const action = (id: string, keys: string): Command => ({
  id,
  name: id,
  group: 'page',
  keys,
  run: () => undefined,
});
const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  keyName({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

describe('keys', () => {
  test('[DX-8] are named alike on every system, and those of the system are left to it', () => {
    expect(press('k', { ctrlKey: true })).toBe('mod+k');
    expect(press('k', { metaKey: true })).toBe('mod+k');
    expect(press('J')).toBe('j');
    expect(press('?')).toBe('?');
    expect(press('Escape')).toBe('Escape');
    expect(press('k', { altKey: true })).toBeNull();
    expect(press('Shift')).toBeNull();
  });

  test('[DX-8] one after the other is a sequence; any other second key is forgotten with the first', () => {
    const all = [action('go', 'g r'), action('row', 'r')];
    expect(matchKeys(all, null, 'g')).toEqual({ command: null, pending: 'g' });
    expect(matchKeys(all, 'g', 'r').command?.id).toBe('go');
    expect(matchKeys(all, null, 'r').command?.id).toBe('row');
    expect(matchKeys(all, 'g', 'x')).toEqual({ command: null, pending: null });
  });

  test('[DX-8] of two with the same keys the newer one is meant, until it goes', () => {
    const registry = createCommandRegistry();
    registry.register([action('page', 'j')]);
    const remove = registry.register([action('dialog', 'j')]);
    expect(matchKeys(registry.commands.getState(), null, 'j').command?.id).toBe('dialog');
    remove();
    expect(matchKeys(registry.commands.getState(), null, 'j').command?.id).toBe('page');
  });

  test('[DX-8] what is typed is text, but Ctrl and a key is not', () => {
    document.body.innerHTML = `<input id="text"><textarea></textarea><input type="checkbox" id="box">
      <button id="button">x</button><div role="listbox"><span id="option"></span></div>`;
    const at = (selector: string) => document.querySelector(selector);
    expect(isHandledByElement(at('#text'), 'j')).toBe(true);
    expect(isHandledByElement(at('textarea'), '1')).toBe(true);
    expect(isHandledByElement(at('#option'), 'j')).toBe(true);
    expect(isHandledByElement(at('#text'), 'mod+k')).toBe(false);
    expect(isHandledByElement(at('#box'), 'j')).toBe(false);
    expect(isHandledByElement(at('#button'), 'j')).toBe(false);
    expect(isHandledByElement(at('#button'), 'Space')).toBe(true);
  });
});
