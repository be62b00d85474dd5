// Desktop features of a host that runs in Electron. A headless host has none.

export interface Desktop {
  readonly versions: { readonly electron: string; readonly chromium: string };
  readonly startAtLogin: {
    readonly problem: string | null;
    isOn(): boolean;
    set(isOn: boolean): void;
  };
  /** Why notifications are not available, or null. */
  readonly notificationsProblem: string | null;
  /** Rejects with a message for the person. */
  openFolder(path: string): Promise<void>;
}
