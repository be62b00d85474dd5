import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createOutbox, Solitude } from '#main/sandbox/outbox.ts';

function outbox(): { solitude: Solitude; put: (message: number) => void; sent: number[][] } {
  const solitude = new Solitude();
  const sent: number[][] = [];
  return { solitude, sent, put: createOutbox((messages) => sent.push([...messages]), solitude) };
}

describe('messages between threads', () => {
  it('of one turn go together, in order, a few at a time', async () => {
    const { put, sent } = outbox();
    for (let message = 1; message <= 10; message += 1) put(message);
    await turn();
    put(11);
    await turn();
    expect(sent).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [9, 10], [11]]);
  });

  it('go at once where phases have come one at a time, and no longer when one met another', async () => {
    const { put, sent, solitude } = outbox();
    for (let phase = 1; phase <= 4; phase += 1) {
      expect(solitude.isAlone).toBe(false);
      solitude.joined(0);
    }
    put(1);
    put(2);
    expect(sent).toEqual([[1], [2]]);
    solitude.joined(1);
    solitude.joined(0);
    put(3);
    put(4);
    expect(sent).toEqual([[1], [2]]);
    await turn();
    expect(sent).toEqual([[1], [2], [3, 4]]);
  });
});
