// What a desktop offers to the host that runs on it. The shell has one; a served host has none.

export interface Desktop {
  readonly versions: { readonly electron: string; readonly chromium: string };
  readonly startAtLogin: {
    readonly problem: string | null;
    isOn(): boolean;
    set(isOn: boolean): void;
  };
  /** Why no notices can be shown; null where they can. */
  readonly notificationsProblem: string | null;
  /** Rejects with a sentence. */
  openFolder(path: string): Promise<void>;
}
