// How long the inputs of a workflow wait for a person: as its active version says, otherwise as set on
// this device, otherwise the default.
import type { Stores } from '#main/store/stores.ts';
import {
  DEFAULT_NEEDS_HUMAN,
  dueReminder,
  endsAt,
  needsHumanSchema,
  type NeedsHuman,
} from '#shared/inputs/needs-human.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import { parseDuration } from '#shared/authoring/duration.ts';

const SETTING = 'needs_human';

export function readNeedsHuman({ settings }: Pick<Stores, 'settings'>): NeedsHuman {
  const stored = needsHumanSchema.safeParse(settings.get(SETTING));
  return stored.success ? stored.data : DEFAULT_NEEDS_HUMAN;
}

export function saveNeedsHuman({ settings }: Pick<Stores, 'settings'>, rule: NeedsHuman): void {
  settings.set(SETTING, { ...rule });
}

type RuleStores = Pick<Stores, 'settings' | 'workflows'>;

export function needsHumanOf(stores: RuleStores, workflowId: string): NeedsHuman {
  const { needsHuman = {} } = stores.workflows.inputRules(workflowId);
  const { remind, within, otherwise } = readNeedsHuman(stores);
  return {
    remind: needsHuman.remind ?? remind,
    within: needsHuman.within ?? within,
    otherwise: needsHuman.otherwise ?? otherwise,
  };
}

/** A run that waits for a person, or that is stopping: it ends in time, whatever is left. */
export interface Wait {
  readonly rule: NeedsHuman;
  readonly endsAt: number;
  readonly otherwise: StopAs;
  /** The number of reminders until now. */
  readonly reminders: number;
  /** The number of the reminder that is due; null if none is. */
  readonly due: number | null;
}

/** Null for other runs. Reads the same on each device: the rule was saved when the wait began. */
export function waitOf(
  stores: RuleStores & Pick<Stores, 'automationRuns'>,
  run: AutomationRun,
  now: number,
): Wait | null {
  const { stopping, state, times } = run;
  const isWaiting = state.status === 'needs_human';
  if (!isWaiting && !stopping) return null;
  const rule = run.wait ?? needsHumanOf(stores, run.workflowId);
  const within = parseDuration(rule.within);
  const since = times.last_activity_at;
  const until = stopping ? (stopping.until ?? stopping.at + within) : since + within;
  if (!isWaiting) {
    return {
      rule,
      endsAt: until,
      otherwise: stopping?.as ?? rule.otherwise,
      reminders: 0,
      due: null,
    };
  }
  const last = stores.automationRuns.lastReminder(run);
  return {
    rule,
    endsAt: endsAt(rule, until, last),
    otherwise: stopping?.as ?? rule.otherwise,
    reminders: last?.number ?? 0,
    due: dueReminder(rule, now - since, last),
  };
}
