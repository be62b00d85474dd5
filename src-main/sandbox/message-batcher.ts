// Batches messages between threads: waking a thread costs more than handling most messages.

/** A full batch is sent at once, so that the receiver can start on it. */
const MAX_BATCH = 8;

/** `send` gets the messages of one event-loop turn, in order, in batches. */
export function createMessageBatcher<Message>(
  send: (messages: readonly Message[]) => void,
): (message: Message) => void {
  let batch: Message[] = [];

  function flush(): void {
    if (batch.length === 0) return;
    const messages = batch;
    batch = [];
    send(messages);
  }

  return (message) => {
    batch.push(message);
    if (batch.length === 1) process.nextTick(flush);
    if (batch.length >= MAX_BATCH) flush();
  };
}
