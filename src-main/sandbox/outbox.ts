// Messages between threads go together where they come together: waking a thread costs more than
// most of what it is woken for.

/** Nobody waits for the rest of a long row. */
const MAX_TOGETHER = 8;

/**
 * `send` gets what was put in during one turn, in order, a few at a time; where `isAlone` says that
 * nothing else can come with it, at once.
 */
export function createOutbox<Message>(
  send: (messages: readonly Message[]) => void,
  isAlone: () => boolean,
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
    if (isAlone()) return flush();
    // After all that is ready now has had its turn.
    if (waiting.length === 1) process.nextTick(flush);
    if (waiting.length >= MAX_TOGETHER) flush();
  };
}
