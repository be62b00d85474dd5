// Text about outside hosts: limits and waits.
import type { WorkflowView } from '#shared/api/contract.ts';
import type { OutsideHostView } from '#shared/api/outside-hosts.ts';
import { clockTime, dateAndTime } from '#renderer/format/format-time.ts';
import { count, counted } from '#renderer/text/numbers.ts';

type Wait = WorkflowView['waitsFor'][number];

const DAY_MS = 24 * 60 * 60 * 1000;

/** The time of day; with the date if it is more than half a day ahead. */
function until(at: number): string {
  const now = Date.now();
  return at - now < DAY_MS / 2 ? clockTime(at) : dateAndTime(at, now);
}

function since(at: number): string {
  const now = Date.now();
  return now - at < DAY_MS / 2 ? clockTime(at) : dateAndTime(at, now);
}

function waitingFor({ host, until: at, since: from, isNetwork }: Wait): string {
  if (at !== null) return `Waiting for ${host} until ${until(at)}.`;
  return isNetwork
    ? `Waiting for network since ${since(from)}. Retries automatically.`
    : `Waiting for ${host}, unreachable since ${since(from)}. Retries automatically.`;
}

function limitsOf({ limit, own, active, waiting }: OutsideHostView): string {
  const { perSecond, concurrent } = limit;
  const isStricter =
    perSecond !== (own?.perSecond ?? null) || concurrent !== (own?.concurrent ?? null);
  const parts = [
    ...(perSecond === null ? [] : [`${perSecond} per second`]),
    ...(concurrent === null ? [] : [`${count(concurrent)} at a time`]),
    ...(perSecond === null && concurrent === null ? ['No limit'] : []),
    ...(isStricter ? ['set by a workflow'] : []),
    ...(active === 0 ? [] : [`${counted(active, 'call', 'calls')} under way`]),
    ...(waiting === 0 ? [] : [`${count(waiting)} waiting`]),
  ];
  return parts.join(' · ');
}

export const hostsText = {
  hint: 'Limits of calls to outside hosts. They hold for all workflows on this device; if a workflow sets a limit too, the strictest one counts. A host that asks to wait gets no call until then.',
  loading: 'Loading hosts',
  emptyTitle: 'No limits',
  emptyHint: 'Add a limit if a service allows only some calls per second or at a time.',
  add: 'Add limit',
  host: 'Host',
  hostHint: 'Like api.example.org, or 127.0.0.1:8080 with a port.',
  perSecond: 'Calls per second',
  perSecondHint: 'Calls that start per second. 0.1 is one in ten seconds.',
  concurrent: 'Concurrent calls',
  concurrentHint: 'Calls that run at the same time.',
  notNumber: 'Enter a number above 0.',
  submit: 'Save',
  saved: (host: string) => `Saved the limit of ${host}.`,
  change: 'Change…',
  changeTitle: (host: string) => `Limit of ${host}`,
  remove: 'Remove…',
  removeTitle: (host: string) => `Remove the limit of ${host}?`,
  removeWarning: 'Limits that workflows set for this host stay.',
  removeSubmit: 'Remove',
  removed: (host: string) => `Removed the limit of ${host}.`,
  of: (host: string) => ` ${host}`,
  limits: limitsOf,
  held: (at: number) => `Asked to wait until ${until(at)}`,
  down: (at: number) => `Unreachable since ${since(at)}`,
  retry: 'Retry now',
  /** On a workflow. */
  waiting: waitingFor,
} as const;
