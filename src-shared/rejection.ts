// What a state machine answers when an event does not fit the state: a value, never a throw.

export interface Rejection {
  readonly type: 'rejected';
  readonly machine: string;
  readonly from: string;
  readonly event: string;
  /** For a person: what is wrong and what stays as it was. */
  readonly message: string;
}

export function reject(machine: string, from: string, event: string): Rejection {
  return {
    type: 'rejected',
    machine,
    from,
    event,
    message: `A ${machine} in state "${from}" can’t take "${event}". Nothing changed.`,
  };
}

export function isRejection(value: object): value is Rejection {
  return 'type' in value && value.type === 'rejected';
}

/** Makes a switch exhaustive at compile time, and loud at run time. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable case: ${JSON.stringify(value)}`);
}
