// Rows that this device can't act on: which of them hold their workflow, and how they are described.

/** Stands for a table name if the work of a workflow failed, not one of its rows. */
export const LANE = 'lane';

/** Without these rows the state of a workflow isn't known, so it must not run. */
const HOLDING: readonly string[] = [
  LANE,
  'workflows',
  'ownership_claims',
  'topics',
  'events',
  'handler_runs',
  'mutations',
  'handler_state',
];

export function holdsWorkflow(table: string): boolean {
  return HOLDING.includes(table);
}

const NAMES: { readonly [table: string]: string } = {
  workflows: 'The workflow',
  scripts: 'A version of a workflow',
  script_runs: 'A session',
  run_events: 'A line in the log of a run',
  topics: 'A topic',
  events: 'An event',
  handler_runs: 'A run',
  mutations: 'An effect',
  handler_state: 'The state of a handler',
  resolutions: 'A decision about an effect',
  ownership_claims: 'A claim to own a workflow',
  intents: 'A request to a workflow',
  incidents: 'An incident',
  devices: 'A device',
  trigger_events: 'An input',
  automation_runs: 'The progress of an input',
  artifacts: 'An artifact',
  automation_side_effects: 'An effect of an input',
};

/** The four parts of an error: what failed, why, what is safe, what to do. */
export function describeRefused(row: {
  readonly table: string;
  readonly reason: string;
  readonly isFromPeer: boolean;
  readonly hasWorkflow: boolean;
}): { readonly summary: string; readonly advice: string } {
  const { table, reason } = row;
  const isHeld = row.hasWorkflow && holdsWorkflow(table);
  const rest = isHeld
    ? 'Holdfast holds this workflow on this device and sends nothing for it. All other workflows run.'
    : 'Holdfast skips it. All workflows run.';
  if (table === LANE) {
    return {
      summary: `This workflow couldn’t continue: ${reason} ${rest}`,
      advice: 'Holdfast retries later and at the next start. If the error stays, report it.',
    };
  }
  const name = NAMES[table] ?? `A row of "${table}"`;
  return {
    summary: `${name} can’t be read: ${reason}. ${rest}`,
    advice: row.isFromPeer
      ? 'Update Holdfast here and on the device that sent it. Holdfast reads it again when it changes and at the next start.'
      : 'Update Holdfast. It reads the row again when the row changes and at the next start.',
  };
}
