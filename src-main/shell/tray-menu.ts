// The tray menu for a given state. Does not import Electron.

export interface TrayState {
  /** Number of inbox items. */
  readonly waiting: number;
  /** Workflows that this device runs and that are not paused. */
  readonly running: number;
  /** Workflows paused by "Pause all". */
  readonly pausedWithAll: number;
}

export type TrayAction = 'open' | 'inbox' | 'pause-all' | 'resume-all' | 'quit';

export type TrayItem =
  | { readonly type: 'separator' }
  | {
      readonly type: 'action';
      readonly label: string;
      readonly action: TrayAction;
      readonly isEnabled: boolean;
    };

export const EMPTY_TRAY_STATE: TrayState = { waiting: 0, running: 0, pausedWithAll: 0 };

export function trayMenu({ waiting, running, pausedWithAll }: TrayState): TrayItem[] {
  const item = (label: string, action: TrayAction, isEnabled = true): TrayItem => ({
    type: 'action',
    label,
    action,
    isEnabled,
  });
  return [
    item('Open Holdfast', 'open'),
    item(inboxLabel(waiting), 'inbox', waiting > 0),
    { type: 'separator' },
    item('Pause all', 'pause-all', running > 0),
    item('Resume all', 'resume-all', pausedWithAll > 0),
    { type: 'separator' },
    item('Quit Holdfast', 'quit'),
  ];
}

export function trayTooltip({ waiting, pausedWithAll }: TrayState): string {
  const parts = [
    ...(waiting > 0 ? [inboxLabel(waiting)] : []),
    ...(pausedWithAll > 0 ? ['all workflows paused'] : []),
  ];
  return parts.length === 0 ? 'Holdfast' : `Holdfast: ${parts.join(', ')}`;
}

function inboxLabel(waiting: number): string {
  if (waiting === 0) return "You're all caught up";
  return waiting === 1 ? '1 item needs you' : `${waiting} items need you`;
}
