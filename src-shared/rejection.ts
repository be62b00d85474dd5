// The value that a state machine returns for an event that its state does not allow. State machines
// never throw.
import { capitalized, withArticle } from '#shared/english.ts';

export interface Rejection {
  readonly type: 'rejected';
  readonly machine: string;
  readonly from: string;
  readonly event: string;
  /** Shown to a person. */
  readonly message: string;
}

export function reject(machine: string, from: string, event: string): Rejection {
  return {
    type: 'rejected',
    machine,
    from,
    event,
    message: `${capitalized(withArticle(machine))} in the state "${spaced(from)}" can't take "${spaced(event)}". Nothing was changed.`,
  };
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

export function isRejection(value: object): value is Rejection {
  return 'type' in value && value.type === 'rejected';
}

/** Makes a switch exhaustive at compile time and throws if a case is missing at run time. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable case: ${JSON.stringify(value)}`);
}
