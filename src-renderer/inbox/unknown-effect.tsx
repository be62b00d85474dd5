// An effect with an unknown outcome: its facts and the four ways to settle it. Nothing is shown as
// settled before the ledger has it.
import { useRef, useState, type ReactNode } from 'react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { RESOLUTIONS } from '#shared/machines/mutation.ts';
import { InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { RemarksFields } from '#renderer/inbox/remarks.tsx';
import { Resolutions, type Remarks, type ResolutionsRef } from '#renderer/inbox/resolutions.tsx';
import { useCardKeys } from '#renderer/inbox/use-card-keys.ts';
import { useDecision, type Deciding } from '#renderer/inbox/use-decision.ts';
import { WaitingDecision } from '#renderer/inbox/waiting-decision.tsx';
import { CallLine } from '#renderer/run/effect-panel.tsx';
import { useDeviceName } from '#renderer/stores/device-names.ts';
import { resolutionWord } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { Decisions } from '#renderer/ui/decisions.tsx';
import { Fact, Facts } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';
import { ExactTime } from '#renderer/ui/when.tsx';

type Item = Extract<InboxItem, { type: 'unknown_effect' }>;

export function UnknownEffect({ item, card, onRecorded }: CardProps<Item>) {
  const { mutation } = item;
  const title = item.title ?? item.handlerName;
  const deciding = useDecision(mutation, {
    onRecorded: (resolution) =>
      onRecorded(text.inbox.recorded(resolutionWord(resolution, mutation.canCheck), title)),
    onTakenBack: () => onRecorded(null),
  });
  const earlier = mutation.resolutions.filter(({ id }) => id !== deciding.recorded?.id);

  return (
    <InboxCard item={item} card={card} title={title}>
      <div className="grid items-start gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-3">
          <p>{text.unknown.what}</p>
          <EffectFacts item={item} />
          <Part name={text.unknown.params}>
            <JsonText label={text.unknown.params} value={mutation.params} />
          </Part>
          {earlier.length === 0 ? null : (
            <Part name={text.unknown.earlier}>
              <Decisions mutation={{ ...mutation, resolutions: earlier }} />
            </Part>
          )}
        </div>
        <Settle mutation={mutation} title={title} deciding={deciding} isCurrent={card.isCurrent} />
      </div>
    </InboxCard>
  );
}

interface SettleProps {
  readonly mutation: MutationView;
  readonly title: string;
  readonly deciding: Deciding;
  readonly isCurrent: boolean;
}

function Settle({ mutation, title, deciding, isCurrent }: SettleProps) {
  const [remarks, setRemarks] = useState<Remarks>({ note: '', result: '' });
  const [resultProblem, setResultProblem] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const resolutions = useRef<ResolutionsRef>(null);
  const isDecided = deciding.recorded !== null;
  useCardKeys(isCurrent, isDecided ? UNDO_KEYS : keysFor(mutation.canCheck), (id) => {
    if (id === 'inbox.undo') return deciding.takeBack();
    if (id === 'inbox.note') return setOpen(true);
    const resolution = RESOLUTIONS.find((one) => `inbox.${one}` === id);
    if (resolution) resolutions.current?.choose(resolution);
  });

  return (
    <section className="grid gap-3 max-lg:border-t max-lg:border-line max-lg:pt-3">
      <h3 className="font-semibold">{text.unknown.decide}</h3>
      {isDecided ? (
        <WaitingDecision deciding={deciding} canCheck={mutation.canCheck} isCurrent={isCurrent} />
      ) : (
        <>
          <Resolutions
            ref={resolutions}
            mutation={mutation}
            title={title}
            remarks={remarks}
            deciding={deciding}
            isCurrent={isCurrent}
            onBadResult={() => setResultProblem(true)}
          />
          <RemarksFields
            remarks={remarks}
            isOpen={isOpen}
            onOpen={setOpen}
            hasProblem={resultProblem}
            onChange={(changed) => {
              setRemarks(changed);
              setResultProblem(false);
            }}
          />
        </>
      )}
      <Failure error={deciding.error} />
    </section>
  );
}

const UNDO_KEYS = [{ id: 'inbox.undo', name: text.inbox.undo, keys: 'z' }] as const;

const keysFor = (canCheck: boolean) => [
  ...RESOLUTIONS.map((resolution, index) => ({
    id: `inbox.${resolution}`,
    name: text.inbox.settleAs(resolutionWord(resolution, canCheck)),
    keys: String(index + 1),
  })),
  { id: 'inbox.note', name: text.unknown.more, keys: 'n' },
];

function EffectFacts({ item }: { readonly item: Item }) {
  const { mutation } = item;
  const device = useDeviceName(item.deviceId);
  return (
    <Facts oneColumn>
      <Fact name={text.unknown.call}>
        <CallLine mutation={mutation} />
      </Fact>
      <Fact name={text.unknown.at}>
        <ExactTime at={mutation.createdAt} />
      </Fact>
      <Fact name={text.unknown.device} title={item.deviceId}>
        {device}
      </Fact>
      {mutation.error === null ? null : <Fact name={text.unknown.why}>{mutation.error}</Fact>}
      <Fact name={text.unknown.check}>{checkSentence(mutation)}</Fact>
      {mutation.lookByHand === '' ? null : (
        <Fact name={text.unknown.look}>{mutation.lookByHand}</Fact>
      )}
      <Fact name={text.unknown.effectId}>
        <code className="font-mono text-xs select-all">{mutation.effectId}</code>
      </Fact>
    </Facts>
  );
}

const checkSentence = ({ canCheck, reconcileAttempts }: MutationView): string =>
  canCheck ? text.unknown.checkYes(reconcileAttempts) : text.unknown.checkNo;

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-1">
      <h3 className="text-xs font-medium text-muted">{name}</h3>
      {children}
    </div>
  );
}
