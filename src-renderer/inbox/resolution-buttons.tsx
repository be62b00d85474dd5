// The four ways to settle an effect, each with its consequence.
import { useImperativeHandle, useState, type Ref } from 'react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json } from '#shared/json.ts';
import { RESOLUTIONS, type Resolution } from '#shared/machines/mutation.ts';
import { ConfirmResend } from '#renderer/inbox/confirm-resend.tsx';
import type { DecisionControls, Decision } from '#renderer/inbox/use-decision.ts';
import { resolutionLabel } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';

/** Raw text of the fields. */
export interface Remarks {
  readonly note: string;
  readonly result: string;
}

/** Lets shortcuts press the buttons. */
export interface ResolutionButtonsRef {
  choose(resolution: Resolution): void;
}

interface Props {
  readonly ref: Ref<ResolutionButtonsRef>;
  readonly mutation: MutationView;
  /** The card's title, read out by screen readers with each button. */
  readonly title: string;
  readonly remarks: Remarks;
  readonly deciding: DecisionControls;
  readonly isCurrent: boolean;
  readonly onInvalidResult: () => void;
}

export function ResolutionButtons(props: Props) {
  const { ref, mutation, title, remarks, deciding, isCurrent, onInvalidResult } = props;
  const [isConfirmingResend, setConfirmingResend] = useState(false);
  const note = remarks.note.trim();
  const decide = (decision: Decision): void =>
    deciding.decide({ ...decision, ...(note === '' ? {} : { note }) });

  const choose = (resolution: Resolution): void => {
    if (resolution === 'user_retry' && !mutation.canCheck) return setConfirmingResend(true);
    if (resolution !== 'user_assert_applied') return decide({ resolution });
    const typed = parseResult(remarks.result);
    if (typed === null) onInvalidResult();
    else decide({ resolution, ...typed });
  };
  useImperativeHandle(ref, () => ({ choose }));

  return (
    <>
      <ul className="grid gap-3">
        {RESOLUTIONS.map((resolution, index) => (
          <li key={resolution} className="grid gap-1">
            <Button
              isPending={deciding.pending === resolution}
              onPress={() => choose(resolution)}
              className="justify-between!"
            >
              <span>
                {resolutionLabel(resolution, mutation.canCheck)}
                {resolution === 'user_retry' && !mutation.canCheck ? '…' : ''}
                <span className="sr-only">: {title}</span>
              </span>
              <span aria-hidden className={isCurrent ? '' : 'invisible'}>
                <ShortcutKeys keys={String(index + 1)} />
              </span>
            </Button>
            <span className="text-[0.8125rem] text-muted">
              {hintOf(resolution, mutation.canCheck)}
            </span>
          </li>
        ))}
      </ul>
      <ConfirmResend
        isOpen={isConfirmingResend && deciding.recorded === null}
        mutation={mutation}
        title={title}
        deciding={deciding}
        onSend={() => decide({ resolution: 'user_retry', confirmed: true })}
        onClose={() => setConfirmingResend(false)}
      />
    </>
  );
}

function hintOf(resolution: Resolution, canCheck: boolean): string {
  switch (resolution) {
    case 'user_assert_applied':
      return text.unknown.happenedHint;
    case 'user_assert_failed':
      return text.unknown.didNotHappenHint;
    case 'user_retry':
      return canCheck ? text.unknown.checkHint : text.unknown.sendHint;
    case 'user_skip':
      return text.unknown.skipHint;
  }
}

/** Null for invalid JSON. Empty text means no result. */
function parseResult(typed: string): { readonly result?: Json } | null {
  if (typed.trim() === '') return {};
  try {
    return { result: parseExactJson(typed) };
  } catch {
    return null;
  }
}
