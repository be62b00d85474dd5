import { useState, type FormEvent } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { NO_ENTRY, TopicChoice, topicOf } from '#renderer/inputs/topic-choice.tsx';
import { useWorkflowNames } from '#renderer/lists/use-workflow-names.ts';
import {
  DEDUP_WORDS,
  HOOK_AUTH_WORDS,
  HOOK_AUTHS,
  inputsText,
} from '#renderer/text/inputs-text.ts';
import { Disclosure } from '#renderer/ui/disclosure.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = inputsText.hooks;
const DEDUPS = ['body', 'header', 'path'] as const;

interface Props {
  readonly onClose: () => void;
  readonly onMade: (made: CallOutput<'hooks.create'>) => void;
}

export function HookForm({ onClose, onMade }: Props) {
  const { client } = useApp();
  const workflows = useWorkflowNames();
  const [entry, setEntry] = useState(NO_ENTRY);
  const [name, setName] = useState('');
  const [auth, setAuth] = useState<(typeof HOOK_AUTHS)[number]>('bearer');
  const [by, setBy] = useState<DedupRule['by']>('body');
  const [key, setKey] = useState('');
  const [redact, setRedact] = useState('');
  const [secret, setSecret] = useState('');
  const [isRefused, setRefused] = useState(false);
  const create = useAct({
    idFor: 'form',
    act: (requestId) =>
      client.call('hooks.create', {
        requestId,
        workflowId: entry.workflowId,
        ...topicOf(entry),
        name,
        auth: { kind: auth },
        dedup: ruleOf(by, key.trim()),
        redactPaths: linesOf(redact),
        ...(secret === '' ? {} : { secret }),
      }),
    onDone: onMade,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isFine = entry.workflowId !== '' && name.trim() !== '';
    setRefused(!isFine);
    if (isFine) create.perform();
  };
  const isNameless = isRefused && name.trim() === '';
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <TextInput
        label={WORDS.name}
        hint={WORDS.nameHint}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        isInvalid={isNameless}
        problem={isNameless ? WORDS.nameProblem : undefined}
        takesFocus
      />
      <TopicChoice workflows={workflows} entry={entry} onChange={setEntry} isRefused={isRefused} />
      <OneOf
        label={WORDS.auth}
        items={HOOK_AUTHS.map((id) => ({ id, name: HOOK_AUTH_WORDS[id] }))}
        chosen={auth}
        onChoose={(id) => setAuth(HOOK_AUTHS.find((one) => one === id) ?? 'bearer')}
      />
      <OneOf
        label={WORDS.dedup}
        items={DEDUPS.map((id) => ({ id, name: DEDUP_WORDS[id] }))}
        chosen={by}
        onChoose={(id) => setBy(DEDUPS.find((one) => one === id) ?? 'body')}
      />
      {by === 'body' ? null : (
        <TextInput
          label={by === 'header' ? WORDS.header : WORDS.path}
          hint={by === 'header' ? WORDS.headerHint : WORDS.pathHint}
          value={key}
          onChange={setKey}
          maxLength={MAX_NAME_LENGTH}
          isRequired
        />
      )}
      <Disclosure label={WORDS.more}>
        <div className="grid gap-4">
          <TextInput
            label={WORDS.redact}
            hint={WORDS.redactHint}
            value={redact}
            onChange={setRedact}
            lines={{ rows: 3, code: true }}
          />
          <TextInput
            label={WORDS.secret}
            hint={WORDS.secretHint}
            value={secret}
            onChange={setSecret}
            isSecret
          />
        </div>
      </Disclosure>
      <Failure error={create.error} />
      <FormButtons
        submit={create.pending ? WORDS.submitting : WORDS.submit}
        pending={create.pending}
        onCancel={onClose}
      />
    </form>
  );
}

function ruleOf(by: DedupRule['by'], key: string): DedupRule {
  if (by === 'header') return { by, name: key };
  return by === 'path' ? { by, path: key } : { by };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
