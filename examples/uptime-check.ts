// Checks a site every five minutes, and notifies you once when it goes down and once when it is back.
import { workflow, type Prepared } from 'holdfast';

const SITE = 'https://shop.example.org/health';
const SITE_HOST = 'shop.example.org';
/** Consecutive failures before the site counts as down: a single one may be the network's. */
const FAILURES_UNTIL_DOWN = 3;

type State = { failures: number; downSince: number | null } | null;
type Change = { isUp: boolean; since: string; minutes: number };

export default workflow({
  name: 'uptime-check',
  uses: { http: { hosts: [SITE_HOST] }, notify: {} },
  topics: ['site.changed'],
  producers: {
    look: {
      // Checks that were missed while the machine was asleep are skipped.
      schedule: { every: '5m', missed: 'none' },
      publishes: ['site.changed'],
      async run(ctx, state: State) {
        let isUp = true;
        try {
          await ctx.tools.http.get({ url: SITE, timeoutMs: 10_000 });
        } catch {
          isUp = false;
        }
        const failures = isUp ? 0 : (state?.failures ?? 0) + 1;
        const downSince = state?.downSince ?? null;
        if (isUp && downSince !== null) {
          const change = about(true, downSince, ctx.now);
          await ctx.publish('site.changed', { id: `up ${ctx.now}`, title: 'Up', payload: change });
          return { failures, downSince: null };
        }
        if (failures !== FAILURES_UNTIL_DOWN || downSince !== null) return { failures, downSince };
        const change = about(false, ctx.now, ctx.now);
        await ctx.publish('site.changed', {
          id: `down ${ctx.now}`,
          title: 'Down',
          payload: change,
        });
        return { failures, downSince: ctx.now };
      },
    },
  },
  consumers: {
    notify: {
      subscribes: 'site.changed',
      async prepare(ctx) {
        const [event] = await ctx.peek<Change>('site.changed', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      async mutate(ctx, { data }: Prepared<Change>) {
        await ctx.tools.notify.show(
          data.isUp
            ? { title: `${SITE_HOST} is back`, body: `It was down for ${data.minutes} minutes.` }
            : { title: `${SITE_HOST} is down`, body: `Since ${data.since}.` },
        );
      },
    },
  },
});

function about(isUp: boolean, since: number, now: number): Change {
  const minutes = Math.round((now - since) / 60_000);
  return { isUp, since: new Date(since).toISOString(), minutes };
}
