// Decides right before the first byte whether an effect may still be sent. An fsync, a DNS lookup and a
// connect come after the commit that put it in flight. If the computer sleeps there, another device may
// take the workflow over, and this device would act on waking without knowing.
import { OWNERSHIP_LOST } from '#main/engine/runs/failure.ts';
import type { MaySend, ToolFailure } from '#main/tools/tool.ts';
import type { Clock } from '#shared/clock.ts';
import { SEND_WITHIN_MS } from '#shared/limits.ts';

/**
 * Create it where the fence is read: the time counts from there to the first look, and from look to
 * look. A tool with a long dialogue looks every second, so that a slow server doesn't count as sleep.
 * After the first refusal it always refuses.
 */
export function createSendGate(clock: Clock, holdsClaim: () => boolean): MaySend {
  let [wall, monotonic] = readClocks(clock);
  let refusal: ToolFailure | null = null;
  return () => {
    const [wallNow, monotonicNow] = readClocks(clock);
    // If the clock was set back, the difference is negative, and the real time is unknown.
    const passedMs = Math.max(Math.abs(wallNow - wall), monotonicNow - monotonic);
    [wall, monotonic] = [wallNow, monotonicNow];
    if (passedMs > SEND_WITHIN_MS) refusal = heldBack(tooLate(passedMs));
    else if (!isTrue(holdsClaim)) refusal = heldBack(`${OWNERSHIP_LOST} Nothing was sent.`);
    return refusal;
  };
}

/** False if the database can't be read: then nothing shows that this device may still act. */
function isTrue(holdsClaim: () => boolean): boolean {
  try {
    return holdsClaim();
  } catch {
    return false;
  }
}

/** By wall clock and, where there is one, by the monotonic clock. */
function readClocks(clock: Clock): readonly [wall: number, monotonic: number] {
  const wall = clock.now();
  return [wall, clock.monotonic?.() ?? wall];
}

function tooLate(passedMs: number): string {
  const seconds = Math.round(passedMs / 1000);
  return `${seconds} s passed between recording this call and sending it. The computer was asleep or very busy, and another device may have taken over meanwhile. Nothing was sent. The run starts over.`;
}

function heldBack(error: string): ToolFailure {
  return { errorType: 'internal', error, startsOver: true };
}
