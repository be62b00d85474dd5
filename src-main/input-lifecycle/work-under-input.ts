// Reads the events, runs and effects of an input, from which its status is derived. Writes nothing;
// input-lifecycle.ts writes the status.
import type { Stores } from '#main/store/stores.ts';
import type { WorkUnderInput } from '#shared/inputs/derive-input-status.ts';

type ReadStores = Pick<Stores, 'inputChain' | 'triggerEvents'>;

const NONE_ENDED = { consumed: 0, setAside: 0, skipped: 0 };

export function workUnderInput(stores: ReadStores, inputId: string): WorkUnderInput {
  const { inputChain } = stores;
  if (inputChain.hasEventsLeft(inputId)) {
    return { ...NONE_ENDED, isLeft: true, waitsForPerson: whyPersonIsNeeded(stores, inputId) };
  }
  if (inputChain.hasOpenRuns(inputId)) {
    return { ...NONE_ENDED, isLeft: true, waitsForPerson: null };
  }
  return { isLeft: false, waitsForPerson: null, ...inputChain.ends(inputId) };
}

/** Without its first event, an input that has no work left isn't done. */
export function isFirstEventMissing(stores: ReadStores, inputId: string): boolean {
  const { consumed, skipped, setAside } = stores.inputChain.ends(inputId);
  if (consumed + skipped + setAside > 0) return false;
  return stores.triggerEvents.get(inputId)?.topic !== null;
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

function firstLine(text: string | null): string {
  return text?.split('\n', 1)[0] ?? '';
}
