// Rows that this device can't act on: which of them hold their workflow, and how they are described.

/** The place of a workflow whose own work failed, in the columns that name a table. */
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

/** What failed and why, what is safe, and what to do. */
export function describeRefused(row: {
  readonly table: string;
  readonly reason: string;
  readonly isFromPeer: boolean;
  readonly hasWorkflow: boolean;
}): { readonly summary: string; readonly advice: string } {
  const { table, reason } = row;
  const isHeld = row.hasWorkflow && holdsWorkflow(table);
  const rest = isHeld
    ? 'This workflow is held on this device; nothing is sent. All other workflows run.'
    : 'Holdfast leaves it out. All workflows run.';
  if (table === LANE) {
    return {
      summary: `This workflow could not go on: ${reason} ${rest}`,
      advice: 'Holdfast tries again later and at the next start. If it stays, report the error.',
    };
  }
  const name = NAMES[table] ?? `A row of "${table}"`;
  return {
    summary: `${name} can’t be read: ${reason}. ${rest}`,
    advice: row.isFromPeer
      ? 'Update Holdfast here and on the device it came from. It is read again when it changes and at the next start.'
      : 'Update Holdfast. It is read again when it changes and at the next start.',
  };
}
