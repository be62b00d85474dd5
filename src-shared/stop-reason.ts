// Why a workflow stopped itself: written by the engine where a handler failed, and read again by
// whoever has to tell it from a pause that a person wanted.

/** Before its effect, or without one: it is tried no more. */
export const stoppedByFailure = (handler: string, what: string, error: string): string =>
  `"${handler}": ${what}: ${firstLine(error)}`;

/** After its effect: only the way forward is left, and it fails. */
export const stoppedInTheMiddle = (handler: string, error: string): string =>
  `"${handler}" cannot finish what it began: ${firstLine(error)}`;

const STOPPED = /^"([^"]+)"(?:: | cannot finish what it began: )/;

/** The handler that failed; null where a person, or a guard, had another reason. */
export function handlerThatStopped(reason: string | null): string | null {
  return STOPPED.exec(reason ?? '')?.[1] ?? null;
}

const firstLine = (error: string): string => error.split('\n', 1)[0] ?? '';
