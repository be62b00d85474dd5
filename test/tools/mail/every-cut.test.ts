// Cuts the SMTP connection at many points in both directions and compares the outcome with the mails
// that the server accepted.
import { expect, test } from 'vitest';
import { send } from '#test/tools/mail/mail-call.ts';
import {
  cutAfter,
  startCuttingProxy,
  startSmtpServer,
  type Cuts,
} from '#test/tools/mail/smtp-server.ts';

// smtp-server delays its greeting by a tenth of a second, so the sends run side by side.
const PARALLEL_SENDS = 100;

test.each([{ hidePIPELINING: false }, { hidePIPELINING: true }])(
  "[ML-2] the outcome matches the server's mails wherever the connection is cut, %o",
  async ({ hidePIPELINING }) => {
    const length = await lengthOfDialogue(hidePIPELINING);
    const cuts = [
      ...cutsUpTo(length.up).map((bytes) => ({ up: bytes, down: length.down })),
      ...cutsUpTo(length.down).map((bytes) => ({ up: length.up, down: bytes })),
    ];
    const counts = new Map<string, number>();
    while (cuts.length > 0) {
      const results = await Promise.all(
        cuts.splice(0, PARALLEL_SENDS).map(async ({ up, down }) => {
          const seen = await sendOver(hidePIPELINING, {
            up: cutAfter(up),
            down: cutAfter(down),
          });
          return { ...seen, up, down };
        }),
      );
      for (const { outcome, has, up, down } of results) {
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        const where = `cut at ${up} up, ${down} down`;
        if (outcome === 'applied') expect(has, where).toBe(1);
        else if (outcome !== 'ambiguous') expect(has, where).toBe(0);
      }
    }
    expect([...counts.keys()].toSorted()).toEqual(['ambiguous', 'applied', 'not_sent']);
  },
);

async function lengthOfDialogue(hidePIPELINING: boolean) {
  const length = { up: 0, down: 0 };
  await sendOver(hidePIPELINING, {
    up: (chunk) => (length.up += chunk.length) && chunk.length,
    down: (chunk) => (length.down += chunk.length) && chunk.length,
  });
  return length;
}

async function sendOver(hidePIPELINING: boolean, cuts: Cuts) {
  const post = await startSmtpServer({ hidePIPELINING });
  const cut = await startCuttingProxy(post, () => cuts);
  const outcome = await send({ smtpPort: cut.port, account: { sentCopy: 'server' } });
  await post.quiet();
  return { outcome: outcome.type, has: post.accepted.length };
}

/** Every third byte, and every byte of the last 60, where the outcome is decided. */
function cutsUpTo(end: number): number[] {
  const all = Array.from({ length: end + 1 }, (_, i) => i);
  return all.filter((bytes) => bytes % 3 === 0 || end - bytes < 60);
}
