// Lowers V8's threshold for optimizing functions with TurboFan. The default is several thousand calls;
// a run calls most functions once, so a device with a hundred runs a day would take two months.
import { setFlagsFromString } from 'node:v8';

/**
 * Affects the whole process. Measured over 300 sequential runs in ten rounds: the time per run beyond
 * its POST drops by 5 to 15 %, for 5 to 10 MB of compiled code. A V8 without this flag ignores it.
 */
export function enableEarlyTierUp(): void {
  setFlagsFromString('--invocation-count-for-turbofan=200');
}
