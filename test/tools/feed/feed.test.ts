import { describe, expect, test } from 'vitest';
import { callRead } from '#main/tools/call-tool.ts';
import { createFeedTool } from '#main/tools/feed/feed.ts';
import type { ReadOutcome } from '#main/tools/tool.ts';
import { testHost } from '#test/tools/call-host.ts';
import { rawServer } from '#test/tools/raw-server.ts';

const tools = { feed: createFeedTool() };

/** Serves these bytes over HTTP and reads them with the feed tool. */
async function readFeed(
  body: string | Buffer,
  { head = '', status = '200 OK', params = {} } = {},
): Promise<ReadOutcome & { request: string }> {
  const server = await rawServer((socket) => {
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n${head}\r\n`);
    socket.end(body);
  });
  const call = { namespace: 'feed', method: 'read', grant: { hosts: [server.host] } };
  const outcome = await callRead(
    tools,
    { ...call, params: { url: `${server.url}/feed`, ...params } },
    testHost(),
  );
  return { ...outcome, request: server.received[0] ?? '' };
}

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>News &amp; more</title><link>https://example.org/</link>
<item><guid isPermaLink="false">one</guid><title><![CDATA[<b>Bold</b> &amp; raw]]></title>
<link>https://example.org/1</link><pubDate>Tue, 03 Feb 2026 10:00:00 +0100</pubDate>
<description>A &lt;i&gt;summary&lt;/i&gt; &#8212; &#x1F41A;</description><dc:creator>Ann</dc:creator></item>
<item><title>No id</title><link>/2</link><pubDate>2026-02-04 10:00:00</pubDate></item>
<item><guid isPermaLink="false">one</guid><title>Same id again</title></item>
</channel></rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Atom</title>
<link rel="self" href="https://example.org/self"/><link href="https://example.org/"/>
<entry><id>urn:1</id><title>First</title><updated>2026-02-03T09:00:00Z</updated>
<link rel="enclosure" href="https://example.org/a.mp3"/><link rel="alternate" href="1.html"/>
<author><name>Bea</name></author><summary type="html">&lt;p&gt;Hi&lt;/p&gt;</summary></entry></feed>`;

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Old</title><link>https://example.org/</link></channel>
<item rdf:about="https://example.org/a"><title>A</title><link>https://example.org/a</link><dc:date>2026-02-03</dc:date></item></rdf:RDF>`;

describe('[TL-10] feed formats', () => {
  test('parses RSS 2.0', async () => {
    const head = 'ETag: "v1"\r\nLast-Modified: Tue, 03 Feb 2026 10:00:00 GMT\r\n';
    expect(await readFeed(RSS, { head })).toMatchObject({
      type: 'ok',
      result: {
        changed: true,
        title: 'News & more',
        etag: '"v1"',
        lastModified: 'Tue, 03 Feb 2026 10:00:00 GMT',
        entries: [
          {
            id: 'one',
            title: '<b>Bold</b> &amp; raw',
            link: 'https://example.org/1',
            publishedAt: '2026-02-03T09:00:00.000Z',
            summary: 'A <i>summary</i> — 🐚',
            author: 'Ann',
          },
          {
            id: expect.stringMatching(/\/2$/),
            publishedAt: '2026-02-04T10:00:00.000Z',
            author: null,
          },
        ],
      },
    });
  });

  test('parses Atom', async () => {
    expect(await readFeed(ATOM)).toMatchObject({
      result: {
        title: 'Atom',
        link: 'https://example.org/',
        entries: [
          {
            id: 'urn:1',
            link: expect.stringMatching(/\/1\.html$/),
            publishedAt: '2026-02-03T09:00:00.000Z',
            summary: '<p>Hi</p>',
            author: 'Bea',
          },
        ],
      },
    });
  });

  test('parses RSS 1.0', async () => {
    expect(await readFeed(RDF)).toMatchObject({
      result: {
        title: 'Old',
        entries: [{ id: 'https://example.org/a', publishedAt: '2026-02-03T00:00:00.000Z' }],
      },
    });
  });

  test('sends conditional headers and reports an unchanged feed', async () => {
    const params = { etag: '"v1"', lastModified: 'Tue, 03 Feb 2026 10:00:00 GMT' };
    const outcome = await readFeed('', { status: '304 Not Modified', params });
    expect(outcome).toMatchObject({
      type: 'ok',
      result: { changed: false, entries: [], etag: '"v1"' },
    });
    expect(outcome.request).toMatch(/if-none-match: "v1"/i);
    expect(outcome.request).toMatch(/if-modified-since: Tue/i);
  });

  test('decodes ISO-8859-1, UTF-16 and a UTF-8 byte order mark', async () => {
    const latin = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>caf\u00e9</title></channel></rss>',
      'latin1',
    );
    expect(await readFeed(latin)).toMatchObject({ result: { title: 'café' } });
    const utf16 = Buffer.from(
      '\ufeff<rss><channel><title>caf\u00e9</title></channel></rss>',
      'utf16le',
    );
    expect(await readFeed(utf16)).toMatchObject({ result: { title: 'café' } });
    const bom = '\ufeff<?xml version="1.0"?><rss><channel><title>café</title></channel></rss>';
    expect(await readFeed(bom)).toMatchObject({ result: { title: 'café' } });
  });
});

describe('[TL-10] hostile feeds', () => {
  test('does not expand entities that the document declares', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(50)}"><!ENTITY c "${'&b;'.repeat(50)}">]>
<rss><channel><title>&c;</title><item><guid>1</guid><title>&amp; &a; &unknown;</title></item></channel></rss>`;
    expect(await readFeed(bomb)).toMatchObject({
      type: 'ok',
      result: { title: '&c;', entries: [{ title: '& &a; &unknown;' }] },
    });
  });

  test('does not load external entities', async () => {
    const spy = await rawServer(() => {});
    const external = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY h SYSTEM "${spy.url}/x">]>
<rss><channel><title>&f;&h;</title></channel></rss>`;
    const outcome = await readFeed(external);
    expect(JSON.stringify(outcome)).not.toContain('root:');
    expect(spy.received).toEqual([]);
  });

  test('reports other documents and broken XML as a logic failure', async () => {
    const deep = `${'<a>'.repeat(5000)}x${'</a>'.repeat(5000)}`;
    for (const body of [
      '',
      'hello',
      '{"json":true}',
      '<html><body>Hi</body></html>',
      '<rss',
      deep,
    ]) {
      const outcome = await readFeed(body);
      expect(outcome, body.slice(0, 20)).toMatchObject({ type: 'failed', errorType: 'logic' });
      expect(outcome.type === 'failed' && outcome.error).toMatch(/is not a readable feed/);
    }
  });

  test.each(['__proto__', 'constructor', 'prototype'])(
    'refuses a feed with an element named %s, and sets nothing',
    async (name) => {
      const body = `<rss><channel><title>T</title><${name}><polluted>yes</polluted></${name}></channel></rss>`;
      expect(await readFeed(body)).toMatchObject({
        type: 'failed',
        errorType: 'logic',
        error: expect.stringContaining('is not a readable feed'),
      });
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect((() => undefined) as { polluted?: unknown }).not.toHaveProperty('polluted');
    },
  );

  test('drops links that are scripts', async () => {
    const body = `<rss><channel><title>T</title><item><guid>1</guid><link>javascript:alert(1)</link></item></channel></rss>`;
    expect(await readFeed(body)).toMatchObject({
      type: 'ok',
      result: { title: 'T', entries: [{ id: '1', link: null }] },
    });
  });

  test('[TL-7] limits the size of a feed, its entries and their summaries', async () => {
    const item = (n: number): string =>
      `<item><guid>${n}</guid><description>${'x'.repeat(9000)}</description></item>`;
    const many = `<rss><channel>${Array.from({ length: 300 }, (_, n) => item(n)).join('')}</channel></rss>`;
    const outcome = await readFeed(many, { params: { limit: 7 } });
    const { entries } = (outcome.type === 'ok' ? outcome.result : {}) as {
      entries: { summary: string }[];
    };
    expect(entries.length).toBe(7);
    expect(entries[0]?.summary.length).toBe(4096);
    const huge = await readFeed(`<rss>${' '.repeat(9 * 1024 * 1024)}</rss>`);
    expect(huge).toMatchObject({ type: 'failed', errorType: 'logic' });
  });
});
