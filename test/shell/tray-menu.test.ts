import { expect, test } from 'vitest';
import { EMPTY_TRAY_STATE, trayMenu, trayTooltip } from '#main/shell/tray-menu.ts';

const enabled = (state: Parameters<typeof trayMenu>[0]): string[] =>
  trayMenu(state).flatMap((item) =>
    item.type === 'action' && item.isEnabled ? [item.action] : [],
  );

test('[SH-7] the menu enables what applies, and the tooltip shows inbox count and pause', () => {
  expect(enabled(EMPTY_TRAY_STATE)).toEqual(['open', 'quit']);
  expect(enabled({ waiting: 2, running: 1, pausedWithAll: 0 })).toEqual([
    'open',
    'inbox',
    'pause-all',
    'quit',
  ]);
  expect(enabled({ waiting: 0, running: 0, pausedWithAll: 3 })).toEqual([
    'open',
    'resume-all',
    'quit',
  ]);
  expect(trayTooltip(EMPTY_TRAY_STATE)).toBe('Holdfast');
  expect(trayTooltip({ waiting: 1, running: 0, pausedWithAll: 1 })).toBe(
    'Holdfast: 1 item needs you, all workflows paused',
  );
});
