import { describe, expect, test } from 'vitest';
import { hostsGrant, isGranted } from '#main/tools/http/hosts.ts';
import { httpUrl } from '#main/tools/http/params.ts';
import { get, post } from '#test/tools/http/http-call.ts';
import { answerWith, rawServer } from '#test/tools/raw-server.ts';

const GRANTED = hostsGrant.parse({
  hosts: ['api.example.org', '*.wild.example', '127.0.0.1:8080', 'bücher.example', '[::1]:9000'],
});

function allows(address: string): boolean {
  return httpUrl.safeParse(address).success && isGranted(GRANTED, new URL(address));
}

describe('[TL-1] every spelling of a granted host is granted, and no other host', () => {
  test.each([
    'https://api.example.org/',
    'http://api.example.org/',
    'https://API.Example.ORG/path',
    'https://api.example.org:443/',
    'https://api.example.org./',
    'https://api%2eexample.org/',
    'https://api。example。org/',
    'https://a.wild.example/',
    'https://a.b.wild.example/',
    'http://127.0.0.1:8080/',
    'http://0x7f.1:8080/',
    'http://2130706433:8080/',
    'http://0177.0.0.1:8080/',
    'https://xn--bcher-kva.example/',
    'https://BÜCHER.example/',
    'http://[0:0:0:0:0:0:0:1]:9000/',
  ])('granted: %s', (address) => {
    expect(allows(address)).toBe(true);
  });

  test.each([
    'https://example.org/',
    'https://evil.org/',
    'https://api.example.org.evil.org/',
    'https://evilapi.example.org/',
    'https://x.api.example.org/',
    'https://api.example.org:8443/',
    'http://api.example.org:443/',
    'https://api.example.org../',
    'https://api.example.org@evil.org/',
    'https://user:word@api.example.org/',
    'https://evil.org#@api.example.org/',
    'https://evil.org\\@api.example.org/',
    'https://evil.org?api.example.org',
    'https://wild.example/',
    'https://evilwild.example/',
    'http://127.0.0.1/',
    'http://127.0.0.1:8081/',
    'http://127.0.0.2:8080/',
    'http://[::ffff:127.0.0.1]:8080/',
    'http://localhost:8080/',
    'http://[::1]/',
    'ftp://api.example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//api.example.org/',
    'api.example.org',
  ])('not granted: %s', (address) => {
    expect(allows(address)).toBe(false);
  });

  test.each([
    '',
    '*',
    '*.org',
    '*.127.0.0.1',
    'https://api.example.org',
    'api.example.org/path',
    'a@b.example',
    'a b.example',
    'api.example.org:0',
    'api.example.org:99999',
    '::1',
    'a..example',
    'a.*.example',
  ])('not a valid grant: "%s"', (host) => {
    expect(hostsGrant.safeParse({ hosts: [host] }).success).toBe(false);
  });
});

test('[TL-1] a call to another host is a permission failure that names it and connects nowhere', async () => {
  const server = await rawServer(answerWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  for (const hosts of [['example.org'], ['127.0.0.1'], [`127.0.0.1:${server.port + 1}`]]) {
    for (const call of [post, get]) {
      const outcome = await call({ url: `${server.url}/x` }, hosts);
      expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
      expect(outcome.type === 'failed' && outcome.error).toContain(`"${server.host}"`);
    }
  }
  expect(server.received).toEqual([]);
});

test('[TL-1] the host of reconcile must be granted too', async () => {
  const server = await rawServer(answerWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  const reconcile = { url: 'https://elsewhere.example/', happenedWhen: { status: [200] } };
  const outcome = await post({ url: server.url, reconcile });
  expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
  expect(outcome.type === 'failed' && outcome.error).toContain('elsewhere.example');
  expect(server.received).toEqual([]);
});
