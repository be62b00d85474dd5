// The name lookup of outgoing connections. It gives the socket only addresses that the grant reaches,
// and the socket connects to what this lookup returned. A second lookup could return other addresses.
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { rangeOf, type AddressRange } from '#main/tools/egress/address-range.ts';

/**
 * The addresses that a granted host may have. `public`: the internet. `loopback`: this machine.
 * `private`: any address.
 */
export type Reach = 'public' | 'loopback' | 'private';

export const REACHES: readonly Reach[] = ['public', 'loopback', 'private'];

/** Resolves a name to all its addresses. */
export type Resolve = (
  name: string,
  options: LookupOptions & { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** The name has no address that the grant reaches. Nothing was sent. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
  readonly host: string;
  readonly address: string;

  constructor(host: string, address: string) {
    super(`${host} has the address ${address}, ${WHERE[rangeOf(address) ?? 'private']}`);
    this.host = host;
    this.address = address;
  }
}

const WHERE: { readonly [range in AddressRange]: string } = {
  loopback: 'which is this machine',
  private: 'which is not on the internet',
  public: 'which is not this machine',
};

export function guardedLookup(reach: Reach, resolve: Resolve = systemLookup): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const allowed = found.filter(({ address }) => isReached(reach, address));
      const [first] = allowed;
      if (!first) return done(new AddressRefused(name, found[0]?.address ?? ''), []);
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** The addresses that a grant of this host reaches without further permission. A literal address was
 * granted on purpose. */
export function usualReach(host: string): Reach {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) !== 0) return 'private';
  return name === 'localhost' || name.endsWith('.localhost') ? 'loopback' : 'public';
}

function isReached(reach: Reach, address: string): boolean {
  const range = rangeOf(address);
  return range !== null && (reach === 'private' || reach === range);
}
