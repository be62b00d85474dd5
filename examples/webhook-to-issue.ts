// Opens one issue in a tracker for each alert, even if the alert is sent several times.
//
// The alert arrives as an event, from a webhook (docs/webhooks.md) or the command line:
//
//   holdfast publish webhook-to-issue alert.raised '{"service":"shop","text":"Disk full"}' --id a-17
//
// Before the first run: holdfast secret set tracker-token
import { workflow, type HttpAnswer, type Outcome, type Prepared } from 'holdfast';

const TRACKER = 'https://tracker.example.org';
const TRACKER_HOST = 'tracker.example.org';

type Alert = { service: string; text: string };
type Issue = { number: number; url: string };

export default workflow({
  name: 'webhook-to-issue',
  uses: { http: { hosts: [TRACKER_HOST] }, notify: {} },
  topics: ['alert.raised', 'issue.opened'],
  consumers: {
    open: {
      subscribes: 'alert.raised',
      publishes: ['issue.opened'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Alert>('alert.raised', { limit: 1 });
        if (!event) return;
        const { service, text } = event.payload;
        return {
          reservations: [event],
          data: event.payload,
          ui: { title: `Open an issue: ${service}: ${text}` },
        };
      },
      async mutate(ctx, { data }: Prepared<Alert>) {
        await ctx.tools.http.post({
          url: `${TRACKER}/issues`,
          auth: { bearerSecret: 'tracker-token' },
          json: { title: `${data.service}: ${data.text}`, labels: ['alert'] },
          // The tracker stores the Idempotency-Key with the issue. A new issue may not be found
          // immediately, so "not found" counts only after a minute.
          reconcile: {
            url: `${TRACKER}/issues/by-key/{effectId}`,
            happenedWhen: { status: [200] },
            didNotHappenWhen: { status: [404] },
            settleMs: 60_000,
          },
        });
      },
      async next(ctx, prepared: Prepared<Alert>, outcome: Outcome<HttpAnswer<Issue>>) {
        if (outcome.status !== 'applied') return;
        const id = prepared.reservations[0]?.messageId ?? '';
        const payload = { ...prepared.data, url: outcome.result?.json?.url ?? null };
        await ctx.publish('issue.opened', { id, title: prepared.data.service, payload });
      },
    },
    notify: {
      subscribes: 'issue.opened',
      async prepare(ctx) {
        const [event] = await ctx.peek('issue.opened', { limit: 1 });
        if (!event) return;
        return {
          reservations: [event],
          data: event.payload,
          ui: { title: `Notify: ${event.title}` },
        };
      },
      async mutate(ctx, { data }: Prepared<Alert & { url: string | null }>) {
        await ctx.tools.notify.show({
          title: `${data.service}: ${data.text}`,
          body: data.url ?? 'An issue was opened.',
        });
      },
    },
  },
});
