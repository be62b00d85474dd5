// Decides what the finalizer does with an unfinished input: nothing, a reminder, or an end. Pure.
import { durationInWords, type NeedsHuman } from '#shared/inputs/needs-human.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import type { Stopping } from '#shared/inputs/stopping.ts';
import { RUN_INACTIVITY_MS } from '#shared/limits.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

export interface UnfinishedInput {
  readonly status: AutomationRunStatus;
  /** Why it needs a person. */
  readonly reason: string;
  readonly stopping: Stopping | null;
  /** Set if it needs a person or is stopping. */
  readonly wait: {
    readonly rule: NeedsHuman;
    readonly endsAt: number;
    readonly otherwise: StopAs;
    readonly reminders: number;
    readonly due: number | null;
  } | null;
  readonly now: number;
  readonly deadlineAt: number;
  // Read only where they decide.
  readonly isWorkflowActive: () => boolean;
  readonly lastActivityAt: () => number;
  /** The session that worked on it last. */
  readonly session: () => 'none' | 'active' | 'ended';
  readonly isFirstEventMissing: () => boolean;
}

export type FinalStep =
  | { readonly type: 'remind'; readonly number: number }
  | { readonly type: 'fail'; readonly reason: string }
  /** Ends once the runs past their effect have ended. */
  | { readonly type: 'stop'; readonly as: StopAs; readonly reason: string }
  /** Ends now, whatever is left. */
  | { readonly type: 'end'; readonly as: StopAs; readonly reason: string };

const DAYS = Math.round(RUN_INACTIVITY_MS / 86_400_000);

export function finalStep(input: UnfinishedInput): FinalStep | null {
  if (input.wait) return stepOfWait(input, input.wait);
  const { status, now, deadlineAt } = input;
  if (now >= deadlineAt) {
    return missingEvent(input) ?? { type: 'stop', as: 'timed_out', reason: 'The deadline passed.' };
  }
  // Inactivity is expected while the workflow is paused, and an active session may still work.
  if (status !== 'running' || !input.isWorkflowActive()) return null;
  if (now - input.lastActivityAt() < RUN_INACTIVITY_MS) return null;
  const session = input.session();
  if (session === 'active') return null;
  return missingEvent(input) ?? stepOfInactivity(session);
}

function stepOfWait(
  { status, reason, stopping, now }: UnfinishedInput,
  { rule, endsAt, otherwise, reminders, due }: NonNullable<UnfinishedInput['wait']>,
): FinalStep | null {
  if (due !== null) return { type: 'remind', number: due };
  const isReminded = status !== 'needs_human' || reminders > 0;
  if (now < endsAt || !isReminded) return null;
  if (stopping) return { type: 'end', as: otherwise, reason: stopping.reason };
  const why = `Nobody acted within ${durationInWords(rule.within)}: ${reason}`;
  return { type: 'end', as: otherwise, reason: why };
}

function missingEvent({ isFirstEventMissing }: UnfinishedInput): FinalStep | null {
  if (!isFirstEventMissing()) return null;
  return { type: 'fail', reason: 'The session ended without publishing the first event.' };
}

function stepOfInactivity(session: 'none' | 'ended'): FinalStep {
  const quiet = `Nothing has happened for ${DAYS} days.`;
  if (session === 'none') return { type: 'stop', as: 'timed_out', reason: quiet };
  const reason = `The session that worked on it ended without completing it. ${quiet} Its waiting events were skipped; rerun them if they should still be processed.`;
  return { type: 'stop', as: 'failed', reason };
}
