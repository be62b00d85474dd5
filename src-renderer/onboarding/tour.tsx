// The tour above the inbox. Its step follows from the inbox, so leaving or skipping ahead doesn't
// break it.
import { Compass } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { CallOutput } from '#shared/api/contract.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { updatePreferences, preferences } from '#renderer/shell/preferences.ts';
import { usePracticeLookup } from '#renderer/onboarding/use-practice-lookup.ts';
import { shellText } from '#renderer/text/shell-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';

type UnknownEffectItem = Extract<InboxItem, { type: 'unknown_effect' }>;

export function Tour({ items }: { readonly items: readonly InboxItem[] | null }) {
  const tour = useStore(preferences, (state) => state.tour);
  const [hasAppeared, setHasAppeared] = useState(false);
  if (tour === null || items === null) return null;
  const item = items.find(
    (one): one is UnknownEffectItem =>
      one.type === 'unknown_effect' && one.workflowId === tour.workflowId,
  );
  if (item && !hasAppeared) setHasAppeared(true);
  return (
    <section
      aria-label={shellText.tour.title}
      className="grid gap-3 rounded-lg bg-active-tint px-4 py-3.5 text-ink ring-1 ring-line sm:px-5"
    >
      <header className="flex items-center justify-between gap-3">
        <h2 className="flex items-center gap-2 font-semibold text-active">
          <Compass aria-hidden className="size-4" />
          {shellText.tour.title}
        </h2>
        <Button variant="quiet" size="small" onPress={() => updatePreferences({ tour: null })}>
          {shellText.tour.leave}
        </Button>
      </header>
      {item ? (
        <Steps item={item} />
      ) : hasAppeared ? (
        <Done workflowId={tour.workflowId} />
      ) : (
        <p role="status">{shellText.tour.sending}</p>
      )}
    </section>
  );
}

function Steps({ item }: { readonly item: UnknownEffectItem }) {
  const { lookUp, found, isPending, error } = usePracticeLookup(item.mutation.effectId);
  const isDecided = item.mutation.resolutions.some(({ status }) => status === 'waiting');
  if (isDecided) return <p role="status">{shellText.tour.settling}</p>;
  return (
    <ol className="grid gap-3">
      <Step number={1}>{shellText.tour.stepOne}</Step>
      <Step number={2}>
        <div className="grid justify-items-start gap-2">
          <p>{shellText.tour.stepTwo}</p>
          <Button
            variant={found === null ? 'primary' : 'secondary'}
            size="small"
            isPending={isPending}
            onPress={lookUp}
          >
            {found === null ? shellText.tour.look : shellText.tour.lookAgain}
          </Button>
          <Failure error={error} />
          {found === null ? null : <PracticeOrders orders={found} />}
        </div>
      </Step>
      {found === null ? null : (
        <Step number={3}>
          <p role="status" className="font-medium">
            {found.length > 0 ? shellText.tour.stepThreeFound : shellText.tour.stepThreeNothing}
          </p>
        </Step>
      )}
    </ol>
  );
}

function Step({ number, children }: { readonly number: number; readonly children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2.5">
      <span
        aria-hidden
        className="tabular grid size-5 place-items-center rounded-full bg-active text-xs font-semibold text-canvas"
      >
        {number}
      </span>
      {children}
    </li>
  );
}

function PracticeOrders({ orders }: { readonly orders: CallOutput<'practice.look'>['done'] }) {
  if (orders.length === 0) return <p>{shellText.tour.nothing}</p>;
  return (
    <div className="grid w-full max-w-md gap-1.5">
      <p>{shellText.tour.found(orders.length)}</p>
      <JsonText
        label={shellText.tour.found(orders.length)}
        value={orders.map(({ name, body }) => ({ [name]: body }))}
      />
    </div>
  );
}

function Done({ workflowId }: { readonly workflowId: string }) {
  const { router } = useApp();
  const go = (to: string) => () => {
    updatePreferences({ tour: null });
    router.navigate(to);
  };
  return (
    <div role="status" className="grid gap-3">
      <p>{shellText.tour.done}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" size="small" onPress={go(href.runs({ workflowId }))}>
          {shellText.tour.seeRuns}
        </Button>
        <Button size="small" onPress={go(href.workflows())}>
          {shellText.tour.next}
        </Button>
      </div>
    </div>
  );
}
