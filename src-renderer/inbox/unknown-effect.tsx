// An effect whose outcome nobody knows: all that can be said about it, and the four ways to settle
// it. Nothing here is ever shown as settled before the ledger says so.
import { useState } from 'react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { Awaiting, InboxCard } from '#renderer/inbox/inbox-card.tsx';
import { Resolutions, type Remarks } from '#renderer/inbox/resolutions.tsx';
import { RemarksFields } from '#renderer/inbox/remarks.tsx';
import { useDecision } from '#renderer/inbox/use-decision.ts';
import { CallLine } from '#renderer/run/effect-panel.tsx';
import { shortId } from '#renderer/short-id.ts';
import { resolutionWord, text } from '#renderer/text.ts';
import { Decisions } from '#renderer/ui/decisions.tsx';
import { Fact, Facts } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { ExactTime } from '#renderer/ui/when.tsx';

interface Props {
  readonly item: Extract<InboxItem, { type: 'unknown_effect' }>;
  readonly onRecorded: (sentence: string) => void;
}

export function UnknownEffect({ item, onRecorded }: Props) {
  const { mutation } = item;
  const title = item.title ?? item.handlerName;
  const [remarks, setRemarks] = useState<Remarks>({ note: '', result: '' });
  const [resultProblem, setResultProblem] = useState(false);
  const deciding = useDecision(mutation.id, (resolution) =>
    onRecorded(text.inbox.recorded(resolutionWord(resolution, mutation.canCheck), title)),
  );
  const { recorded } = deciding;

  return (
    <InboxCard item={item} title={title}>
      <p>{text.unknown.what}</p>
      <EffectFacts item={item} />
      <Part name={text.unknown.params}>
        <JsonText label={text.unknown.params} value={mutation.params} />
      </Part>
      {mutation.resolutions.length === 0 ? null : (
        <Part name={text.unknown.earlier}>
          <Decisions mutation={mutation} />
        </Part>
      )}
      <section className="grid gap-3 border-t border-line pt-3">
        <h3 className="font-semibold">{text.unknown.decide}</h3>
        <RemarksFields
          remarks={remarks}
          hasProblem={resultProblem}
          onChange={(changed) => {
            setRemarks(changed);
            setResultProblem(false);
          }}
        />
        <Resolutions
          mutation={mutation}
          title={title}
          remarks={remarks}
          deciding={deciding}
          onBadResult={() => setResultProblem(true)}
        />
        <Failure error={deciding.error} />
        {recorded?.message == null ? null : <Notice tone="wait">{recorded.message}</Notice>}
        <Awaiting isShown={recorded !== null} />
      </section>
    </InboxCard>
  );
}

function EffectFacts({ item }: { readonly item: Props['item'] }) {
  const { mutation } = item;
  return (
    <Facts oneColumn>
      <Fact name={text.unknown.call}>
        <CallLine mutation={mutation} />
      </Fact>
      <Fact name={text.unknown.at}>
        <ExactTime at={mutation.createdAt} />
      </Fact>
      <Fact name={text.unknown.device} title={item.deviceId}>
        <code className="font-mono text-xs">{shortId(item.deviceId)}</code>
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

function Part({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="grid gap-1">
      <h3 className="text-xs font-medium text-muted">{name}</h3>
      {children}
    </div>
  );
}
