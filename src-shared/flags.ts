// Feature flags. A run keeps the flags it started with: changing a flag never affects a run in
// progress.

export const FLAG_DEFINITIONS = {
  sandboxPreview: {
    default: false,
    meaning: 'Effects are recorded and shown, not sent.',
  },
  daemonRunIdStrict: {
    default: true,
    meaning:
      'A sandbox may only act for the run it is bound to. Off: an act of another one is logged, not refused.',
  },
} as const satisfies Record<string, { default: boolean; meaning: string }>;

export type FlagName = keyof typeof FLAG_DEFINITIONS;
export type Flags = Readonly<Record<FlagName, boolean>>;

export const FLAG_NAMES = Object.keys(FLAG_DEFINITIONS) as FlagName[];

/** Every flag with its value. Unknown names and values that are not booleans are ignored. */
export function freezeFlags(overrides: Partial<Record<string, unknown>> = {}): Flags {
  const entries = FLAG_NAMES.map((name) => {
    const chosen = overrides[name];
    return [name, typeof chosen === 'boolean' ? chosen : FLAG_DEFINITIONS[name].default];
  });
  return Object.freeze(Object.fromEntries(entries) as Record<FlagName, boolean>);
}
