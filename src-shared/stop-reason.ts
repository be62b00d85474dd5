// The reason with which the engine pauses a workflow after a handler failed. Readers parse it to
// distinguish such a pause from one that a person requested.

/** The handler failed before its effect, or has none. */
export const stoppedByFailure = (handler: string, what: string, error: string): string =>
  `"${handler}": ${what}: ${firstLine(error)}`;

/** The handler failed after its effect, so it can only be completed. */
export const stoppedInTheMiddle = (handler: string, error: string): string =>
  `"${handler}" can't finish its run: ${firstLine(error)}`;

/** The active version lacks the handler, so its run waits for a version that has it. */
export const handlerGone = (handler: string): string =>
  `The active version has no consumer "${handler}", so this run can't finish. Its effect is not repeated. Activate a version that has "${handler}", and the run continues.`;

/** A workflow over its hourly budget. */
export const stoppedAsLoop = (limit: number): string =>
  `This workflow made ${limit} runs within an hour, which looks like a loop. Its events are safe. Fix the loop, then resume.`;

const LOOP = / runs within an hour, which looks like a loop\./;

/** Whether a failure of the version at work paused the workflow, and not a person or a restore. */
export function isStoppedByVersion(reason: string | null): boolean {
  return handlerThatStopped(reason) !== null || LOOP.test(reason ?? '');
}

/** Also matches the text that earlier versions stored. */
const STOPPED = /^"([^"]+)"(?:: | can't finish its run: | cannot finish what it began: )/;

/** The handler that failed, or null if the workflow was paused for another reason. */
export function handlerThatStopped(reason: string | null): string | null {
  return STOPPED.exec(reason ?? '')?.[1] ?? null;
}

const firstLine = (error: string): string => error.split('\n', 1)[0] ?? '';
