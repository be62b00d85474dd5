// Feeds for workflows: RSS and Atom over HTTP from granted hosts, as normalized entries.
import { z } from 'zod';
import { readFeed, type Feed } from '#main/tools/feed/entries.ts';
import { decodeXml, parseXml, XmlUnreadable } from '#main/tools/feed/xml.ts';
import { readOutcome } from '#main/tools/http/classify.ts';
import { createAgents, type ConnectOptions } from '#main/tools/http/connect.ts';
import type { Answer } from '#main/tools/http/exchange.ts';
import { checkHost, followRead, send } from '#main/tools/http/follow.ts';
import { describeHosts, hostsGrant, narrowHosts, type HostsGrant } from '#main/tools/http/hosts.ts';
import { readParams } from '#main/tools/http/params.ts';
import { addressOf, checkAuth, prepareRead, showAddress } from '#main/tools/http/request.ts';
import { MAX_FEED_BYTES, MAX_FEED_ENTRIES } from '#main/tools/limits.ts';
import type { ReadMethod, ReadOutcome, Tool } from '#main/tools/tool.ts';

const params = readParams.pick({ url: true, query: true, auth: true, timeoutMs: true }).extend({
  /** From the last result, so the server doesn't resend an unchanged feed. */
  etag: z
    .string()
    .max(1000)
    .regex(/^[\u0020-\u007e\u0080-\u00ff]*$/)
    .nullable()
    .optional(),
  lastModified: z
    .string()
    .max(100)
    .regex(/^[\u0020-\u007e]*$/)
    .nullable()
    .optional(),
  limit: z.int().min(1).max(MAX_FEED_ENTRIES).default(100),
});
type Params = z.infer<typeof params>;

export function createFeedTool(options: ConnectOptions = {}): Tool {
  const agents = createAgents(options);
  const read: ReadMethod<Params, HostsGrant> = {
    kind: 'read',
    params: params.describe('Reads an RSS or Atom feed.'),
    describe: (asked) => `Read the feed ${showAddress(addressOf(asked))}`,
    check: (grant, asked) => {
      const url = addressOf(asked);
      return checkHost(grant, url) ?? checkAuth(grant, url, asked.auth);
    },
    call: async (context, asked) => {
      const { out, secretHeaders } = await prepareRead(context, 'GET', {
        ...asked,
        headers: conditionsOf(asked),
      });
      const request = { ...out, maxBytes: MAX_FEED_BYTES };
      const answer = await send(agents, context, { out: request, secretHeaders }, followRead);
      if (answer.type !== 'answer' || answer.tooLong || !ANSWERS.includes(answer.status)) {
        return readOutcome(request, answer, ANSWERS);
      }
      if (answer.status === 304) return unchanged(asked);
      return outcomeOf(answer, out.url, asked.limit);
    },
  };
  return {
    namespace: 'feed',
    grant: hostsGrant,
    describeGrant: (grant) => describeHosts(grant as HostsGrant),
    narrow: narrowHosts,
    methods: { read },
  };
}

const ANSWERS = [200, 203, 226, 304];

function conditionsOf({ etag, lastModified }: Params): { [name: string]: string } {
  return {
    accept:
      'application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5',
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
}

function unchanged({ etag, lastModified }: Params): ReadOutcome {
  return {
    type: 'ok',
    result: {
      changed: false,
      title: '',
      link: null,
      entries: [],
      etag: etag ?? null,
      lastModified: lastModified ?? null,
    },
  };
}

function outcomeOf({ body, headers }: Answer, url: URL, limit: number): ReadOutcome {
  const feed = parseFeed(decodeXml(body, headers['content-type']), url);
  if (typeof feed === 'string') {
    const error = `${showAddress(url)} is not a readable feed: ${feed}.`;
    return { type: 'failed', errorType: 'logic', error };
  }
  const { title, link, entries } = feed;
  return {
    type: 'ok',
    result: {
      changed: true,
      title,
      link,
      entries: entries.slice(0, limit),
      etag: headers['etag'] ?? null,
      lastModified: headers['last-modified'] ?? null,
    },
  };
}

function parseFeed(xml: string, url: URL): Feed | string {
  try {
    return readFeed(parseXml(xml), url) ?? 'it is neither RSS nor Atom';
  } catch (error) {
    if (error instanceof XmlUnreadable) return error.message;
    throw error;
  }
}
