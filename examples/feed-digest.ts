// Collects the entries of a feed and sends them as one mail at nine in the morning.
//
// Before the first run: holdfast secret set mail-password
import { workflow, type FeedEntry, type Prepared } from 'holdfast';

const FEED = 'https://news.example.org/feed.xml';
const FEED_HOST = 'news.example.org';
const READER = 'ada@example.org';
const ACCOUNT = {
  from: 'News <ada@example.org>',
  smtp: { host: 'smtp.example.org', port: 465, user: 'ada@example.org' },
  imap: { host: 'imap.example.org', port: 993, user: 'ada@example.org' },
  passwordSecret: 'mail-password',
  allowRecipients: [READER],
};

type Entry = Pick<FeedEntry, 'title' | 'link'>;
type Digest = { day: string; entries: Entry[] };

export default workflow({
  name: 'feed-digest',
  uses: { feed: { hosts: [FEED_HOST] }, mail: { account: ACCOUNT } },
  topics: ['entry.new', 'digest.due'],
  producers: {
    gather: {
      schedule: { every: '30m' },
      publishes: ['entry.new'],
      // `state` is the value returned by the previous run. With its etag, an unchanged feed is not
      // downloaded again.
      async run(ctx, state: { etag: string | null; lastModified: string | null } | null) {
        const feed = await ctx.tools.feed.read({ url: FEED, ...state });
        for (const { id, title, link } of feed.entries) {
          await ctx.publish('entry.new', { id, title: title || id, payload: { title, link } });
        }
        return { etag: feed.etag, lastModified: feed.lastModified };
      },
    },
    nine: {
      // If the machine was asleep at nine, this runs once when it wakes.
      schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin', missed: 'latest' },
      publishes: ['digest.due'],
      async run(ctx) {
        const day = new Date(ctx.now).toISOString().slice(0, 10);
        await ctx.publish('digest.due', { id: day, title: `Digest of ${day}`, payload: { day } });
      },
    },
  },
  consumers: {
    send: {
      // One consumer of both topics: new entries wait until a digest is due.
      subscribes: ['digest.due', 'entry.new'],
      async prepare(ctx) {
        const [due] = await ctx.peek<{ day: string }>('digest.due', { limit: 1 });
        if (!due) return;
        const news = await ctx.peek<Entry>('entry.new', { limit: 90 });
        const data: Digest = {
          day: due.payload.day,
          entries: news.map(({ payload }) => payload),
        };
        // Reserves the digest and all its entries, or none of them.
        return { reservations: [due, ...news], data, ui: { title: due.title } };
      },
      async mutate(ctx, { data }: Prepared<Digest>) {
        // No news, no mail: without a call there is no effect.
        if (data.entries.length === 0) return;
        await ctx.tools.mail.send({
          to: READER,
          subject: `${data.entries.length} new entries on ${data.day}`,
          text: data.entries.map(({ title, link }) => `${title}\n${link ?? ''}\n`).join('\n'),
        });
      },
    },
  },
});
