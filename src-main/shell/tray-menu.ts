// What the menu of the tray offers, by how things stand. Knows nothing of Electron.

export interface TrayState {
  /** Things in the inbox. */
  readonly waiting: number;
  /** Workflows that this device runs and that are not paused. */
  readonly running: number;
  /** Those that were paused with all the others. */
  readonly pausedWithAll: number;
}

export type TrayAct = 'open' | 'inbox' | 'pause-all' | 'resume-all' | 'quit';

export type TrayItem =
  | { readonly type: 'separator' }
  | {
      readonly type: 'act';
      readonly label: string;
      readonly act: TrayAct;
      readonly isEnabled: boolean;
    };

export const QUIET_TRAY: TrayState = { waiting: 0, running: 0, pausedWithAll: 0 };

export function trayMenu({ waiting, running, pausedWithAll }: TrayState): TrayItem[] {
  const item = (label: string, act: TrayAct, isEnabled = true): TrayItem => ({
    type: 'act',
    label,
    act,
    isEnabled,
  });
  return [
    item('Open Holdfast', 'open'),
    item(waitingWords(waiting), 'inbox', waiting > 0),
    { type: 'separator' },
    item('Pause all', 'pause-all', running > 0),
    item('Resume all', 'resume-all', pausedWithAll > 0),
    { type: 'separator' },
    item('Quit Holdfast', 'quit'),
  ];
}

export function trayTooltip({ waiting, pausedWithAll }: TrayState): string {
  const parts = [
    ...(waiting > 0 ? [waitingWords(waiting)] : []),
    ...(pausedWithAll > 0 ? ['everything is paused'] : []),
  ];
  return parts.length === 0 ? 'Holdfast' : `Holdfast: ${parts.join(', ')}`;
}

function waitingWords(waiting: number): string {
  if (waiting === 0) return 'Nothing waits for you';
  return waiting === 1 ? '1 thing waits for you' : `${waiting} things wait for you`;
}
