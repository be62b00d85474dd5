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
  test('[DX-8] have the same name on every system, and Alt combinations are ignored', () => {
    expect(press('k', { ctrlKey: true })).toBe('mod+k');
    expect(press('k', { metaKey: true })).toBe('mod+k');
    expect(press('J')).toBe('j');
    expect(press('?')).toBe('?');
    expect(press('Escape')).toBe('Escape');
    expect(press('k', { altKey: true })).toBeNull();
    expect(press('Shift')).toBeNull();
  });

  test('[DX-8] two keys in a row match a sequence, and a wrong second key resets it', () => {
    const all = [action('go', 'g r'), action('row', 'r')];
    expect(matchKeys(all, null, 'g')).toEqual({ command: null, pending: 'g' });
    expect(matchKeys(all, 'g', 'r').command?.id).toBe('go');
    expect(matchKeys(all, null, 'r').command?.id).toBe('row');
    expect(matchKeys(all, 'g', 'x')).toEqual({ command: null, pending: null });
  });

  test('[DX-8] the newest of two actions with the same keys wins until it is removed', () => {
    const registry = createCommandRegistry();
    registry.register([action('page', 'j')]);
    const remove = registry.register([action('dialog', 'j')]);
    expect(matchKeys(registry.commands.getState(), null, 'j').command?.id).toBe('dialog');
    remove();
    expect(matchKeys(registry.commands.getState(), null, 'j').command?.id).toBe('page');
  });

  test('[DX-8] keys in text fields, lists and on focused buttons stay with the element, Ctrl shortcuts don’t', () => {
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
