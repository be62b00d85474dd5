// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import type { DeviceView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { LINK_ENDS, type LinkEndName } from '#shared/sync/link-ends.ts';
import {
  explainFailure,
  PAIRING_FAILURES,
  type PairingFailure as FailureName,
} from '#shared/sync/pairing/failures.ts';
import { minutesAndSeconds } from '#renderer/devices/pairing/use-countdown.ts';
import { deviceProblemOf } from '#renderer/devices/device-problem.ts';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { parseRoute } from '#renderer/navigation/router.ts';
import { deviceStatusOf } from '#renderer/text/devices-text.ts';

const AWAY: DeviceView = {
  id: 'd',
  name: 'Desk',
  ownName: 'Desk',
  state: 'away',
  pairedAt: 1,
  lastSeenAt: 2,
  unpairedAt: null,
  addresses: [],
  problem: null,
  sync: null,
  syncedAt: null,
  pending: { outgoing: null, incoming: null },
};

afterEach(cleanup);

test.each(Object.keys(PAIRING_FAILURES) as FailureName[])(
  '[DV-2] %s is shown with its message, next step and name',
  (reason) => {
    const message = explainFailure(reason);
    render(<PairingFailure error={new ApiError({ type: 'conflict', message, reason })} />);
    const shown = screen.getByRole('alert').textContent ?? '';
    expect(shown).toContain(PAIRING_FAILURES[reason].message);
    expect(shown).toContain(`Next step: ${PAIRING_FAILURES[reason].next}`);
    expect(shown).toContain(`Reason: ${reason}`);
  },
);

test('[DV-2] an error outside pairing keeps its own message', () => {
  render(<PairingFailure error={new ApiError({ type: 'busy', message: 'Try again.' })} />);
  expect(screen.getByRole('alert').textContent).toBe('Try again.');
});

describe('problems between two devices', () => {
  test.each(Object.keys(LINK_ENDS) as LinkEndName[])('[DV-4] %s has a next step', (name) => {
    const problem = { name, message: LINK_ENDS[name] };
    const shown = deviceProblemOf({ ...AWAY, problem });
    expect(shown).toMatchObject({ kind: 'link', ...problem });
    expect(shown?.nextStep).toMatch(/\.$/);
  });

  test('[DV-4] a sync problem is shown before a lost link', () => {
    const problem = { name: 'connection-lost', message: LINK_ENDS['connection-lost'] };
    const ended = { state: 'ended', name: 'disk-full', message: 'The disk is full.' } as const;
    expect(deviceProblemOf({ ...AWAY, problem, sync: ended })).toMatchObject({
      kind: 'sync',
      name: 'disk-full',
    });
    const older = { state: 'update-needed', who: 'peer', message: 'Older version.' } as const;
    expect(deviceProblemOf({ ...AWAY, problem, sync: older })?.name).toBe('update-needed');
    expect(deviceStatusOf({ ...AWAY, sync: older })).toBe('update-needed');
    const gone = { state: 'ended', ...problem } as const;
    expect(deviceProblemOf({ ...AWAY, problem, sync: gone })?.kind).toBe('link');
  });

  test('[DV-4] no problem is shown for a device that is linked, unpaired or was never reached', () => {
    const problem = { name: 'silent', message: LINK_ENDS.silent };
    expect(deviceProblemOf({ ...AWAY, state: 'linked', problem })).toBeNull();
    expect(deviceProblemOf({ ...AWAY, state: 'unpaired', problem })).toBeNull();
    expect(deviceProblemOf(AWAY)).toBeNull();
  });
});

test('[DV-1] the remaining time of a link is shown in minutes and seconds', () => {
  expect(minutesAndSeconds(600_000)).toBe('10:00');
  expect(minutesAndSeconds(599_001)).toBe('10:00');
  expect(minutesAndSeconds(61_000)).toBe('1:01');
  expect(minutesAndSeconds(1)).toBe('0:01');
});

test.each([
  ['/devices', '', { page: 'devices' }],
  ['/devices/join', '?link=x', { page: 'pairing', method: 'join', link: 'x' }],
  ['/devices/elsewhere', '', { page: 'unknown' }],
  ['/settings', '', { page: 'settings', section: 'data' }],
  ['/settings/secrets', '', { page: 'settings', section: 'secrets' }],
  ['/settings/nothing', '', { page: 'unknown' }],
  ['/scripts/a%20b', '?from=j', { page: 'script', scriptKey: 'a b', from: 'j' }],
])('[DV-1] [RU-15] %s%s has its own route', (path, search, route) => {
  expect(parseRoute(path, search)).toMatchObject(route);
});
