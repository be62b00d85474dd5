// Collects messages in order, and waits for one without a fixed delay.

export interface Mailbox<Message> {
  readonly all: readonly Message[];
  push(message: Message): void;
  /** Resolves with the first message, past or future, that matches; limited by the test's timeout. */
  until(matches: (message: Message) => boolean): Promise<Message>;
}

export function createMailbox<Message>(): Mailbox<Message> {
  const all: Message[] = [];
  const waiting = new Set<(message: Message) => void>();
  return {
    all,
    push: (message) => {
      all.push(message);
      for (const check of waiting) check(message);
    },
    until: (matches) => {
      const known = all.find(matches);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        const check = (message: Message): void => {
          if (!matches(message)) return;
          waiting.delete(check);
          resolve(message);
        };
        waiting.add(check);
      });
    },
  };
}
