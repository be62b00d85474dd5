// The tour above the inbox. Its step follows from the inbox, so leaving or skipping ahead doesn't
// break it.
import { Compass } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { CallOutput } from '#shared/api/contract.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { choose, settings } from '#renderer/shell/settings.ts';
import { useLook } from '#renderer/shell/use-look.ts';
import { frame } from '#renderer/text/frame-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';

type Unknown = Extract<InboxItem, { type: 'unknown_effect' }>;

export function Tour({ items }: { readonly items: readonly InboxItem[] | null }) {
  const tour = useStore(settings, (state) => state.tour);
  const [wasThere, setWasThere] = useState(false);
  if (tour === null || items === null) return null;
  const item = items.find(
    (one): one is Unknown => one.type === 'unknown_effect' && one.workflowId === tour.workflowId,
  );
  if (item && !wasThere) setWasThere(true);
  return (
    <section
      aria-label={frame.tour.title}
      className="grid gap-3 rounded-lg bg-active-tint px-4 py-3.5 text-ink ring-1 ring-line sm:px-5"
    >
      <header className="flex items-center justify-between gap-3">
        <h2 className="flex items-center gap-2 font-semibold text-active">
          <Compass aria-hidden className="size-4" />
          {frame.tour.title}
        </h2>
        <Button look="quiet" size="small" onPress={() => choose({ tour: null })}>
          {frame.tour.leave}
        </Button>
      </header>
      {item ? (
        <Steps item={item} />
      ) : wasThere ? (
        <Done workflowId={tour.workflowId} />
      ) : (
        <p role="status">{frame.tour.sending}</p>
      )}
    </section>
  );
}

function Steps({ item }: { readonly item: Unknown }) {
  const { look, seen, pending, error } = useLook(item.mutation.effectId);
  const isDecided = item.mutation.resolutions.some(({ status }) => status === 'waiting');
  if (isDecided) return <p role="status">{frame.tour.settling}</p>;
  return (
    <ol className="grid gap-3">
      <Step number={1}>{frame.tour.stepOne}</Step>
      <Step number={2}>
        <div className="grid justify-items-start gap-2">
          <p>{frame.tour.stepTwo}</p>
          <Button
            look={seen === null ? 'primary' : 'secondary'}
            size="small"
            isPending={pending}
            onPress={look}
          >
            {seen === null ? frame.tour.look : frame.tour.lookAgain}
          </Button>
          <Failure error={error} />
          {seen === null ? null : <Shop seen={seen} />}
        </div>
      </Step>
      {seen === null ? null : (
        <Step number={3}>
          <p role="status" className="font-medium">
            {seen.length > 0 ? frame.tour.stepThreeFound : frame.tour.stepThreeNothing}
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

function Shop({ seen }: { readonly seen: CallOutput<'practice.look'>['done'] }) {
  if (seen.length === 0) return <p>{frame.tour.nothing}</p>;
  return (
    <div className="grid w-full max-w-md gap-1.5">
      <p>{frame.tour.found(seen.length)}</p>
      <JsonText
        label={frame.tour.found(seen.length)}
        value={seen.map(({ name, body }) => ({ [name]: body }))}
      />
    </div>
  );
}

function Done({ workflowId }: { readonly workflowId: string }) {
  const { router } = useApp();
  const go = (to: string) => () => {
    choose({ tour: null });
    router.navigate(to);
  };
  return (
    <div role="status" className="grid gap-3">
      <p>{frame.tour.done}</p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" size="small" onPress={go(href.runs({ workflowId }))}>
          {frame.tour.seeRuns}
        </Button>
        <Button size="small" onPress={go(href.workflows())}>
          {frame.tour.next}
        </Button>
      </div>
    </div>
  );
}
