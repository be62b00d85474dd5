// A workflow's question, answered with one of its choices or with text.
import { useRef, useState, type FormEvent } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/app-context.tsx';
import { Awaiting, InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { useCardKeys } from '#renderer/inbox/use-card-keys.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Keys } from '#renderer/ui/keys.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

/** The host's limit. */
const MAX_ANSWER_LENGTH = 10_000;

type Item = Extract<InboxItem, { type: 'question' }>;

/** One key per choice. */
const MAX_KEYS = 9;

export function Question({ item, card, onRecorded }: CardProps<Item>) {
  const { client, inbox } = useApp();
  const answer = useRef('');
  const [recorded, setRecorded] = useState(false);
  const answering = useAct({
    idFor: 'form',
    act: async () => {
      try {
        await client.call('inbox.answer', { mutationId: item.mutationId, answer: answer.current });
      } catch (error) {
        // It may already be answered elsewhere, so reload.
        inbox.refresh();
        throw error;
      }
    },
    onDone: () => {
      setRecorded(true);
      onRecorded(text.inbox.answered(item.question));
    },
  });
  const say = (words: string): void => {
    if (recorded) return;
    answer.current = words;
    answering.perform();
  };

  const keyed = item.choices.slice(0, MAX_KEYS);
  useCardKeys(
    card.isCurrent && !recorded,
    keyed.map((choice, index) => ({
      id: `inbox.answer.${index}`,
      name: text.question.answerWith(choice),
      keys: String(index + 1),
    })),
    (id) => say(keyed.find((_, index) => id === `inbox.answer.${index}`) ?? ''),
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
                isDisabled={recorded || answering.pending}
                onPress={() => say(choice)}
                className="h-auto! min-h-8 max-w-full shrink! py-1 wrap-anywhere whitespace-normal!"
              >
                {choice}
                {card.isCurrent && index < MAX_KEYS ? (
                  <span aria-hidden>
                    <Keys keys={String(index + 1)} />
                  </span>
                ) : null}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <FreeAnswer isDone={recorded} pending={answering.pending} onAnswer={say} />
      )}
      <Failure error={answering.error} />
      <Awaiting isShown={recorded} />
    </InboxCard>
  );
}

interface FreeAnswerProps {
  readonly isDone: boolean;
  readonly pending: boolean;
  readonly onAnswer: (answer: string) => void;
}

function FreeAnswer({ isDone, pending, onAnswer }: FreeAnswerProps) {
  const [words, setWords] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (words.trim() !== '') onAnswer(words);
  };
  return (
    <form onSubmit={submit} className="grid gap-2.5">
      <TextInput
        label={text.question.answer}
        value={words}
        onChange={setWords}
        maxLength={MAX_ANSWER_LENGTH}
        lines={{ rows: 2, code: false }}
      />
      <Button
        type="submit"
        isPending={pending}
        isDisabled={isDone || words.trim() === ''}
        className="justify-self-start"
      >
        {pending ? text.question.submitting : text.question.submit}
      </Button>
    </form>
  );
}
