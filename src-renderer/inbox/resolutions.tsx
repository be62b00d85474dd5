// The four ways to settle an effect, each with what it will do next.
import { useState } from 'react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { RESOLUTIONS, type Resolution } from '#shared/machines/mutation.ts';
import { SendAgain } from '#renderer/inbox/send-again.tsx';
import type { Deciding, Decision } from '#renderer/inbox/use-decision.ts';
import { resolutionWord, text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';

/** As they were typed. */
export interface Remarks {
  readonly note: string;
  readonly result: string;
}

interface Props {
  readonly mutation: MutationView;
  /** What it is about, for those who hear the buttons out of their card. */
  readonly title: string;
  readonly remarks: Remarks;
  readonly deciding: Deciding;
  readonly onBadResult: () => void;
}

export function Resolutions({ mutation, title, remarks, deciding, onBadResult }: Props) {
  const [isSending, setSending] = useState(false);
  const note = remarks.note.trim();
  const decide = (decision: Decision): void =>
    deciding.decide({ ...decision, ...(note === '' ? {} : { note }) });

  const choose = (resolution: Resolution): void => {
    if (resolution === 'user_retry' && !mutation.canCheck) return setSending(true);
    if (resolution !== 'user_assert_applied') return decide({ resolution });
    const typed = readResult(remarks.result);
    if (typed === null) onBadResult();
    else decide({ resolution, ...typed });
  };

  return (
    <>
      <ul className="grid gap-x-4 gap-y-2.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {RESOLUTIONS.map((resolution) => (
          <li
            key={resolution}
            className="grid gap-x-4 gap-y-1 sm:col-span-2 sm:grid-cols-subgrid sm:items-center"
          >
            <Button
              isPending={deciding.pending === resolution}
              isDisabled={deciding.recorded !== null}
              onPress={() => choose(resolution)}
            >
              {resolutionWord(resolution, mutation.canCheck)}
              {resolution === 'user_retry' && !mutation.canCheck ? '…' : ''}
              <span className="sr-only">: {title}</span>
            </Button>
            <span className="text-[0.8125rem] text-muted">
              {hintOf(resolution, mutation.canCheck)}
            </span>
          </li>
        ))}
      </ul>
      <SendAgain
        isOpen={isSending && deciding.recorded === null}
        mutation={mutation}
        title={title}
        deciding={deciding}
        onSend={() => decide({ resolution: 'user_retry', confirmed: true })}
        onClose={() => setSending(false)}
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

/** Null where it is no JSON; nothing typed is no result. */
function readResult(typed: string): { readonly result?: Json } | null {
  if (typed.trim() === '') return {};
  try {
    return { result: JSON.parse(typed) as Json };
  } catch {
    return null;
  }
}
