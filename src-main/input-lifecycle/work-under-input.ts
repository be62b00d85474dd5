// Reads an input's events, runs and effects, from which its status is derived. Writes nothing;
// input-lifecycle.ts writes the derived status.
import type { Holder } from '#main/store/queries/input-chain.ts';
import type { Stores } from '#main/store/stores.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { WorkUnderInput } from '#shared/inputs/derive-input-status.ts';

type ReadStores = Pick<Stores, 'inputChain' | 'triggerEvents'>;

const NONE_ENDED = {
  consumed: 0,
  setAside: 0,
  skipped: 0,
  hasSent: false,
  hasFollowed: false,
  hasCompletion: false,
};

export function workUnderInput(
  stores: ReadStores,
  { inputId, hasCompletion }: Pick<AutomationRun, 'inputId' | 'hasCompletion'>,
): WorkUnderInput {
  const { inputChain } = stores;
  if (inputChain.hasEventsLeft(inputId)) {
    return { ...NONE_ENDED, isLeft: true, waitsForPerson: whyPersonIsNeeded(stores, inputId) };
  }
  if (inputChain.hasOpenRuns(inputId)) {
    return { ...NONE_ENDED, isLeft: true, waitsForPerson: null };
  }
  const hasSent = inputChain.hasSent(inputId);
  return {
    isLeft: false,
    waitsForPerson: null,
    ...inputChain.ends(inputId),
    hasSent,
    hasCompletion,
    hasFollowed: hasSent || hasCompletion || inputChain.hasFurtherEvents(inputId),
  };
}

/**
 * An input that has no work left and never had an event isn't done: its first event is missing, or the
 * producer that registered it published none.
 */
export function whyWithoutEvents(
  stores: ReadStores,
  inputId: string,
): 'first_event_missing' | 'none_published' | null {
  const { consumed, skipped, setAside } = stores.inputChain.ends(inputId);
  if (consumed + skipped + setAside > 0) return null;
  const { topic } = stores.triggerEvents.get(inputId) ?? {};
  return topic === null ? 'none_published' : 'first_event_missing';
}

function whyPersonIsNeeded({ inputChain }: ReadStores, inputId: string): string | null {
  for (const holder of inputChain.holders(inputId)) {
    if (holder.phase !== 'suspended') continue;
    if (holder.effect === 'indeterminate' && !holder.isResolved) {
      return `"${holder.handlerName}" made an effect whose outcome is unknown. Settle it in the inbox.`;
    }
    if (holder.effect === 'pending') return `"${holder.handlerName}" asks a question.`;
    if (holder.reason === 'approval') {
      return `"${holder.handlerName}" needs a permission: ${firstLine(holder.error)}`;
    }
    if (holder.reason === 'logic' || holder.reason === 'internal') {
      return `"${holder.handlerName}" can't finish its run: ${firstLine(holder.error)}`;
    }
  }
  return null;
}

/** Describes the open work under an input that has to end, in sentences for a person. */
export function describeOpenWork({ inputChain }: ReadStores, inputId: string): string {
  const sentences = inputChain.holders(inputId).map(describeHolder);
  return sentences.length > 0 ? sentences.join(' ') : 'Work that it started is still open.';
}

function describeHolder({ handlerName, tool, effect, isResolved }: Holder): string {
  const what = tool === null ? `"${handlerName}"` : `"${handlerName}" (${tool})`;
  if (effect === 'indeterminate' && !isResolved) {
    return `The outcome of ${what} is unknown and can still be settled in the inbox.`;
  }
  if (effect === 'in_flight' || effect === 'needs_reconcile') {
    return `The outcome of ${what} is not known yet and is still being checked.`;
  }
  return effect === 'applied'
    ? `${what} made its effect, but its run has not ended.`
    : `The run of ${what} has not ended.`;
}

function firstLine(text: string | null): string {
  return text?.split('\n', 1)[0] ?? '';
}
