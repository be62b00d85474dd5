// The reason with which the engine pauses a workflow after a handler failed. Readers parse it to
// distinguish such a pause from one that a person requested.

/** The handler failed before its effect, or has none. */
export const stoppedByFailure = (handler: string, what: string, error: string): string =>
  `"${handler}": ${what}: ${firstLine(error)}`;

/** The handler failed after its effect, so it can only be completed. */
export const stoppedInTheMiddle = (handler: string, error: string): string =>
  `"${handler}" can't finish its run: ${firstLine(error)}`;

/** Also matches the text that earlier versions stored. */
const STOPPED = /^"([^"]+)"(?:: | can't finish its run: | cannot finish what it began: )/;

/** The handler that failed, or null if the workflow was paused for another reason. */
export function handlerThatStopped(reason: string | null): string | null {
  return STOPPED.exec(reason ?? '')?.[1] ?? null;
}

const firstLine = (error: string): string => error.split('\n', 1)[0] ?? '';
