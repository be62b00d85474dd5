// People's decisions on workflows and effects: intents and resolutions. Both are rows that any
// device may write and the workflow's owner carries out, with one status vocabulary.

export const DECISION_STATUSES = ['waiting', 'done', 'refused', 'superseded'] as const;
export type DecisionStatus = (typeof DECISION_STATUSES)[number];

/** How the owner answered a decision. */
export interface DecisionOutcome {
  readonly status: Exclude<DecisionStatus, 'waiting'>;
  readonly message?: string;
}

export const DONE: DecisionOutcome = { status: 'done' };
