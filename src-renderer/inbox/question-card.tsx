// A workflow's question, answered with one of its choices or with text.
import { useRef, useState, type FormEvent } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { AwaitingNotice, InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { useCardCommands } from '#renderer/inbox/use-card-commands.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

/** The host's limit. */
const MAX_ANSWER_LENGTH = 10_000;

type Item = Extract<InboxItem, { type: 'question' }>;

/** One key per choice. */
const MAX_SHORTCUTS = 9;

export function QuestionCard({ item, card, onRecorded }: CardProps<Item>) {
  const { client, inbox } = useApp();
  const answer = useRef('');
  const [isRecorded, setIsRecorded] = useState(false);
  const answering = useIdempotentAction({
    idFor: 'form',
    action: async () => {
      try {
        await client.call('inbox.answer', { mutationId: item.mutationId, answer: answer.current });
      } catch (error) {
        // It may already be answered elsewhere, so reload.
        inbox.refresh();
        throw error;
      }
    },
    onDone: () => {
      setIsRecorded(true);
      onRecorded(text.inbox.answered(item.question));
    },
  });
  const submitAnswer = (answerText: string): void => {
    if (isRecorded) return;
    answer.current = answerText;
    answering.perform();
  };

  const keyed = item.choices.slice(0, MAX_SHORTCUTS);
  useCardCommands(
    card.isCurrent && !isRecorded,
    keyed.map((choice, index) => ({
      id: `inbox.answer.${index}`,
      name: text.question.answerWith(choice),
      keys: String(index + 1),
    })),
    (id) => submitAnswer(keyed.find((_, index) => id === `inbox.answer.${index}`) ?? ''),
  );

  return (
    <InboxCard item={item} card={card} title={item.question}>
      {item.details === null ? null : (
        <p className="wrap-anywhere whitespace-pre-wrap">{item.details}</p>
      )}
      {item.choices.length > 0 ? (
        <ul className="flex flex-wrap gap-2">
          {item.choices.map((choice, index) => (
            <li key={choice} className="min-w-0">
              <Button
                isDisabled={isRecorded || answering.isPending}
                onPress={() => submitAnswer(choice)}
                className="h-auto! min-h-8 max-w-full shrink! py-1 wrap-anywhere whitespace-normal!"
              >
                {choice}
                {card.isCurrent && index < MAX_SHORTCUTS ? (
                  <span aria-hidden>
                    <ShortcutKeys keys={String(index + 1)} />
                  </span>
                ) : null}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <FreeTextAnswer
          isDone={isRecorded}
          isPending={answering.isPending}
          onAnswer={submitAnswer}
        />
      )}
      <Failure error={answering.error} />
      <AwaitingNotice isShown={isRecorded} />
    </InboxCard>
  );
}

interface FreeTextAnswerProps {
  readonly isDone: boolean;
  readonly isPending: boolean;
  readonly onAnswer: (answer: string) => void;
}

function FreeTextAnswer({ isDone, isPending, onAnswer }: FreeTextAnswerProps) {
  const [answer, setAnswer] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (answer.trim() !== '') onAnswer(answer);
  };
  return (
    <form onSubmit={submit} className="grid gap-2.5">
      <TextInput
        label={text.question.answer}
        value={answer}
        onChange={setAnswer}
        maxLength={MAX_ANSWER_LENGTH}
        lines={{ rows: 2, isCode: false }}
      />
      <Button
        type="submit"
        isPending={isPending}
        isDisabled={isDone || answer.trim() === ''}
        className="justify-self-start"
      >
        {isPending ? text.question.submitting : text.question.submit}
      </Button>
    </form>
  );
}
