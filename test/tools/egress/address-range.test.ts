import { describe, expect, test } from 'vitest';
import { rangeOf } from '#main/tools/egress/address-range.ts';
import {
  AddressRefused,
  guardedLookup,
  usualReach,
  type Reach,
  type Resolve,
} from '#main/tools/egress/guarded-lookup.ts';

describe('[EG-1] every address that is not on the internet is recognized', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::127.0.0.1',
  ])('%s is this machine', (address) => expect(rangeOf(address)).toBe('loopback'));

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::c0a8:1',
    '64:ff9b:1::8.8.8.8',
    '2002:0a00:0001::1',
  ])('%s is in a private or special network', (address) =>
    expect(rangeOf(address)).toBe('private'),
  );

  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:0808:0808::1',
  ])('%s is on the internet', (address) => expect(rangeOf(address)).toBe('public'));

  test('a name is no address', () => expect(rangeOf('example.org')).toBeNull());
});

type Found = { readonly error: Error | null; readonly addresses: string[] };

function look(reach: Reach, addresses: readonly string[], all = true): Promise<Found> {
  const resolve: Resolve = (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return new Promise((done) => {
    guardedLookup(reach, resolve)('api.example.org', { all }, (error, found) =>
      done({
        error,
        addresses: typeof found === 'string' ? [found] : found.map(({ address }) => address),
      }),
    );
  });
}

describe('the lookup of a connection', () => {
  test('[EG-1] gives the socket only the addresses that the grant reaches', async () => {
    const mixed = ['10.0.0.5', '8.8.8.8', '::1', '2606:4700::1111', '127.0.0.1'];
    expect((await look('public', mixed)).addresses).toEqual(['8.8.8.8', '2606:4700::1111']);
    expect((await look('loopback', mixed)).addresses).toEqual(['::1', '127.0.0.1']);
    expect((await look('private', mixed)).addresses).toEqual(mixed);
    expect((await look('public', mixed, false)).addresses).toEqual(['8.8.8.8']);
  });

  test('[EG-1] refuses a name without such an address, and names it', async () => {
    const { error } = await look('public', ['192.168.1.1', '::1']);
    expect(error).toBeInstanceOf(AddressRefused);
    expect(error?.message).toBe(
      'api.example.org has the address 192.168.1.1, which is not on the internet',
    );
    expect((await look('loopback', ['8.8.8.8'])).error).toBeInstanceOf(AddressRefused);
  });

  test('[EG-2] a literal address reaches itself, localhost this machine, a name the internet', () => {
    const expected: [string, Reach][] = [
      ['192.168.1.1', 'private'],
      ['[::1]', 'private'],
      ['localhost', 'loopback'],
      ['app.localhost', 'loopback'],
      ['nas.local', 'public'],
      ['api.example.org', 'public'],
    ];
    for (const [host, reach] of expected) expect(usualReach(host), host).toBe(reach);
  });
});
