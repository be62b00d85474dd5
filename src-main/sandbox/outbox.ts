// Messages between threads go together where they come together: waking a thread costs more than
// most of what it is woken for.

/** Nobody waits for the rest of a long row. */
const MAX_TOGETHER = 8;

/** Phases in a row that came while no other was there: from then on the next is taken to do so, too. */
const ALONE_AFTER = 4;

/** Whether phases have come one at a time lately. Among many, some find nobody else by chance. */
export class Solitude {
  #inARow = 0;

  get isAlone(): boolean {
    return this.#inARow >= ALONE_AFTER;
  }

  /** A phase came while so many others were there. */
  joined(others: number): void {
    this.#inARow = others === 0 ? this.#inARow + 1 : 0;
  }
}

/** `send` gets what was put in during one turn, in order, a few at a time; in solitude, at once. */
export function createOutbox<Message>(
  send: (messages: readonly Message[]) => void,
  solitude: Solitude,
): (message: Message) => void {
  let waiting: Message[] = [];

  function flush(): void {
    if (waiting.length === 0) return;
    const messages = waiting;
    waiting = [];
    send(messages);
  }

  return (message) => {
    waiting.push(message);
    if (solitude.isAlone) return flush();
    // After all that is ready now has had its turn.
    if (waiting.length === 1) process.nextTick(flush);
    if (waiting.length >= MAX_TOGETHER) flush();
  };
}
