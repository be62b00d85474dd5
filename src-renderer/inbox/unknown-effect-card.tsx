// An effect with an unknown outcome: its facts and the four ways to settle it. Nothing is shown as
// settled before the ledger has it.
import { useRef, useState } from 'react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { RESOLUTIONS } from '#shared/machines/mutation.ts';
import { InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { RemarksFields } from '#renderer/inbox/remarks-fields.tsx';
import {
  ResolutionButtons,
  type Remarks,
  type ResolutionButtonsRef,
} from '#renderer/inbox/resolution-buttons.tsx';
import { useCardCommands } from '#renderer/inbox/use-card-commands.ts';
import { useDecision, type DecisionControls } from '#renderer/inbox/use-decision.ts';
import { PendingDecision } from '#renderer/inbox/pending-decision.tsx';
import { EffectCall } from '#renderer/runs/effect-panel.tsx';
import { useDeviceName } from '#renderer/devices/use-devices.ts';
import { resolutionLabel } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { DecisionList } from '#renderer/runs/decision-list.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Labelled } from '#renderer/ui/layout/labelled.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';

type Item = Extract<InboxItem, { type: 'unknown_effect' }>;

export function UnknownEffectCard({ item, card, onRecorded }: CardProps<Item>) {
  const { mutation } = item;
  const title = item.title ?? item.handlerName;
  const deciding = useDecision(mutation, {
    onRecorded: (resolution) =>
      onRecorded(text.inbox.recorded(resolutionLabel(resolution, mutation.canCheck), title)),
    onWithdrawn: () => onRecorded(null),
  });
  const earlier = mutation.resolutions.filter(({ id }) => id !== deciding.recorded?.id);

  return (
    <InboxCard item={item} card={card} title={title}>
      <div className="grid items-start gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-3">
          <p>{text.unknown.what}</p>
          <EffectFacts item={item} />
          <Labelled name={text.unknown.params}>
            <JsonText label={text.unknown.params} value={mutation.params} />
          </Labelled>
          {earlier.length === 0 ? null : (
            <Labelled name={text.unknown.earlier}>
              <DecisionList mutation={{ ...mutation, resolutions: earlier }} />
            </Labelled>
          )}
        </div>
        <SettlePanel
          mutation={mutation}
          title={title}
          deciding={deciding}
          isCurrent={card.isCurrent}
        />
      </div>
    </InboxCard>
  );
}

interface SettlePanelProps {
  readonly mutation: MutationView;
  readonly title: string;
  readonly deciding: DecisionControls;
  readonly isCurrent: boolean;
}

function SettlePanel({ mutation, title, deciding, isCurrent }: SettlePanelProps) {
  const [remarks, setRemarks] = useState<Remarks>({ note: '', result: '' });
  const [hasResultProblem, setHasResultProblem] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const resolutions = useRef<ResolutionButtonsRef>(null);
  const isDecided = deciding.recorded !== null;
  useCardCommands(
    isCurrent,
    isDecided ? UNDO_COMMANDS : resolutionCommands(mutation.canCheck),
    (id) => {
      if (id === 'inbox.undo') return deciding.withdraw();
      if (id === 'inbox.note') return setOpen(true);
      const resolution = RESOLUTIONS.find((one) => `inbox.${one}` === id);
      if (resolution) resolutions.current?.choose(resolution);
    },
  );

  return (
    <section className="grid gap-3 max-lg:border-t max-lg:border-line max-lg:pt-3">
      <h3 className="font-semibold">{text.unknown.decide}</h3>
      {isDecided ? (
        <PendingDecision deciding={deciding} canCheck={mutation.canCheck} isCurrent={isCurrent} />
      ) : (
        <>
          <ResolutionButtons
            ref={resolutions}
            mutation={mutation}
            title={title}
            remarks={remarks}
            deciding={deciding}
            isCurrent={isCurrent}
            onInvalidResult={() => setHasResultProblem(true)}
          />
          <RemarksFields
            remarks={remarks}
            isOpen={isOpen}
            onOpen={setOpen}
            hasProblem={hasResultProblem}
            onChange={(changed) => {
              setRemarks(changed);
              setHasResultProblem(false);
            }}
          />
        </>
      )}
      <Failure error={deciding.error} />
    </section>
  );
}

const UNDO_COMMANDS = [{ id: 'inbox.undo', name: text.inbox.undo, keys: 'z' }] as const;

const resolutionCommands = (canCheck: boolean) => [
  ...RESOLUTIONS.map((resolution, index) => ({
    id: `inbox.${resolution}`,
    name: text.inbox.settleAs(resolutionLabel(resolution, canCheck)),
    keys: String(index + 1),
  })),
  { id: 'inbox.note', name: text.unknown.more, keys: 'n', isHarmless: true },
];

function EffectFacts({ item }: { readonly item: Item }) {
  const { mutation } = item;
  const device = useDeviceName(item.deviceId);
  return (
    <Facts isSingleColumn>
      <Fact name={text.unknown.call}>
        <EffectCall mutation={mutation} />
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
