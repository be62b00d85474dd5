// Workflows that a restored device took over are paused with this reason until a person has seen what
// resuming does.

const START = 'Restored from a backup of ';

export function restoredReason(day: string, open: readonly string[]): string {
  return `${START}${day}. Anything done after the backup could happen twice: ${open.join(', ')} and scheduled runs. Check what was done, then resume, or skip the waiting events with "holdfast restored".`;
}

export function isRestoredReason(reason: string | null): boolean {
  return reason?.startsWith(START) ?? false;
}
