// Messages in the order they came, and a way to wait for one without guessing how long it takes.

export interface Mailbox<Message> {
  readonly all: readonly Message[];
  push(message: Message): void;
  /** Resolves with the first message, old or new, that fits; the test's own time limit ends it. */
  until(fits: (message: Message) => boolean): Promise<Message>;
}

export function createMailbox<Message>(): Mailbox<Message> {
  const all: Message[] = [];
  const waiting = new Set<(message: Message) => void>();
  return {
    all,
    push: (message) => {
      all.push(message);
      for (const look of waiting) look(message);
    },
    until: (fits) => {
      const known = all.find(fits);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        const look = (message: Message): void => {
          if (!fits(message)) return;
          waiting.delete(look);
          resolve(message);
        };
        waiting.add(look);
      });
    },
  };
}
