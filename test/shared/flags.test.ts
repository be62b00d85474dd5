import { describe, expect, it } from 'vitest';
import { FLAG_DEFINITIONS, FLAG_NAMES, freezeFlags } from '#shared/flags.ts';

describe('flags', () => {
  it('[FL-1] both flags are defined with a default and a meaning', () => {
    expect(FLAG_NAMES).toEqual(['sandboxPreview', 'daemonRunIdStrict']);
    expect(freezeFlags()).toEqual({ sandboxPreview: false, daemonRunIdStrict: true });
    for (const name of FLAG_NAMES) expect(FLAG_DEFINITIONS[name].meaning).toMatch(/\w+ \w+/);
  });

  it('[FL-1] a boolean override wins; unknown names and other types are ignored', () => {
    const flags = freezeFlags({ sandboxPreview: true, daemonRunIdStrict: 'no', other: true });
    expect(flags).toEqual({ sandboxPreview: true, daemonRunIdStrict: true });
    for (const value of ['true', 1, {}])
      expect(freezeFlags({ sandboxPreview: value })).toEqual(freezeFlags());
    for (const value of ['', 0, null])
      expect(freezeFlags({ daemonRunIdStrict: value })).toEqual(freezeFlags());
  });

  it('[FL-2] the flags are frozen', () => {
    const flags = freezeFlags();
    expect(() => Object.assign(flags, { sandboxPreview: true })).toThrow(TypeError);
    expect(flags.sandboxPreview).toBe(false);
  });
});
