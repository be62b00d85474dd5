// The cable is cut all along the dialogue, in both directions: whatever the tool then says
// must be true of what the server has.
import { expect, test } from 'vitest';
import { send } from '#test/tools/mail/mail-call.ts';
import { cutAfter, layCable, startPost, type Cable } from '#test/tools/mail/smtp-post.ts';

// smtp-server lets every caller wait a tenth of a second for its greeting.
const AT_ONCE = 100;

test.each([{ hidePIPELINING: false }, { hidePIPELINING: true }])(
  '[ML-2] wherever the connection is cut, the outcome is true, %o',
  async ({ hidePIPELINING }) => {
    const length = await lengthOfDialogue(hidePIPELINING);
    const cuts = [
      ...cutsUpTo(length.up).map((bytes) => ({ up: bytes, down: length.down })),
      ...cutsUpTo(length.down).map((bytes) => ({ up: length.up, down: bytes })),
    ];
    const said = new Map<string, number>();
    while (cuts.length > 0) {
      const results = await Promise.all(
        cuts.splice(0, AT_ONCE).map(async ({ up, down }) => {
          const seen = await sendOver(hidePIPELINING, {
            up: cutAfter(up),
            down: cutAfter(down),
          });
          return { ...seen, up, down };
        }),
      );
      for (const { outcome, has, up, down } of results) {
        said.set(outcome, (said.get(outcome) ?? 0) + 1);
        const where = `cut at ${up} up, ${down} down`;
        if (outcome === 'applied') expect(has, where).toBe(1);
        else if (outcome !== 'ambiguous') expect(has, where).toBe(0);
      }
    }
    expect([...said.keys()].toSorted()).toEqual(['ambiguous', 'applied', 'not_sent']);
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

async function sendOver(hidePIPELINING: boolean, cable: Cable) {
  const post = await startPost({ hidePIPELINING });
  const cut = await layCable(post, () => cable);
  const outcome = await send({ smtpPort: cut.port, account: { sentCopy: 'server' } });
  await post.quiet();
  return { outcome: outcome.type, has: post.accepted.length };
}

/** Near the end, where it is decided, every byte; before that, every third. */
function cutsUpTo(end: number): number[] {
  const all = Array.from({ length: end + 1 }, (_, i) => i);
  return all.filter((bytes) => bytes % 3 === 0 || end - bytes < 60);
}
