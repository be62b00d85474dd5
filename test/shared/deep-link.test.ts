import { expect, test } from 'vitest';
import { findDeepLink, parseDeepLink } from '#shared/deep-link.ts';
import { formatPairingLink } from '#shared/sync/pairing/link.ts';

test.each([
  ['holdfast://run/01ABC', '/runs/01ABC'],
  ['HOLDFAST://run/01ABC', '/runs/01ABC'],
  [' holdfast://run/01ABC ', '/runs/01ABC'],
  ['holdfast://session/a-b', '/sessions/a-b'],
  ['holdfast://job/7', '/jobs/7'],
  ['holdfast://script/build', '/scripts/build'],
  ['holdfast://workflow/w:1', '/workflows/w%3A1'],
  ['holdfast://input/i-1', '/inputs/i-1'],
  ['holdfast://inputs', '/inputs'],
  ['holdfast://metrics', '/activity'],
  ['holdfast://inbox', '/inbox'],
  ['holdfast://inbox/', '/inbox'],
  ['holdfast://settings/secrets', '/settings/secrets'],
  ['holdfast://devices', '/devices'],
])('[SH-5] %s opens %s', (link, place) => {
  expect(parseDeepLink(link)).toBe(place);
});

test.each([
  'https://run/1',
  'holdfast:run/1',
  'holdfast://',
  'holdfast://run',
  'holdfast://run/',
  'holdfast://run/a/b',
  'holdfast://run/../x',
  'holdfast://run/%2e%2e%2fx',
  'holdfast://run/%',
  'holdfast://run/a?b',
  'holdfast://run/a#b',
  'holdfast://run/<script>',
  `holdfast://run/${'a'.repeat(201)}`,
  'holdfast://constructor',
  'holdfast://toString/x',
  'holdfast://unknown/x',
  'holdfast://pair?nonsense',
  `holdfast://inbox/${'/'.repeat(5000)}`,
])('[SH-5] %s is refused', (link) => {
  expect(parseDeepLink(link)).toBeNull();
});

test('[SH-5] a pairing link opens the join page with the unchanged link', () => {
  const link = formatPairingLink({
    deviceId: 'a'.repeat(32),
    token: '0'.repeat(32),
    addresses: ['127.0.0.1:1', '[::1]:2'],
  });
  const place = new URL(parseDeepLink(link) ?? '', 'app://holdfast');
  expect(place.pathname).toBe('/devices/join');
  expect(place.searchParams.get('link')).toBe(link);
});

test('[SH-5] the last link among the command-line arguments counts', () => {
  const argv = ['holdfast', '--data', '/x', 'holdfast://run/1', '--flag', 'holdfast://run/2'];
  expect(findDeepLink(argv)).toBe('/runs/2');
  expect(findDeepLink(['holdfast', '--data', '/holdfast'])).toBeNull();
  expect(findDeepLink(['holdfast://nonsense'])).toBeNull();
});
