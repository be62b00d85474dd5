import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { NO_TARGET, TargetTopicFields, topicParam } from '#renderer/inputs/target-topic.tsx';
import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import {
  DEDUP_LABELS,
  WEBHOOK_AUTH_LABELS,
  WEBHOOK_AUTHS,
  inputsText,
} from '#renderer/text/inputs-text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

const TEXT = inputsText.webhooks;
const DEDUP_METHODS = ['body', 'header', 'path'] as const;

interface Props {
  readonly onClose: () => void;
  readonly onCreated: (made: CallOutput<'hooks.create'>) => void;
}

export function WebhookForm({ onClose, onCreated }: Props) {
  const { client } = useApp();
  const workflows = useWorkflowNames();
  const [target, setTarget] = useState(NO_TARGET);
  const [name, setName] = useState('');
  const [auth, setAuth] = useState<(typeof WEBHOOK_AUTHS)[number]>('bearer');
  const [by, setBy] = useState<DedupRule['by']>('body');
  const [key, setKey] = useState('');
  const [redact, setRedact] = useState('');
  const [secret, setSecret] = useState('');
  const [isRefused, setRefused] = useState(false);
  const validate = (): boolean => {
    const isValid = target.workflowId !== '' && name.trim() !== '';
    setRefused(!isValid);
    return isValid;
  };
  const isNameMissing = isRefused && name.trim() === '';
  return (
    <SheetForm
      action={(requestId) =>
        client.call('hooks.create', {
          requestId,
          workflowId: target.workflowId,
          ...topicParam(target),
          name,
          auth: { kind: auth },
          dedup: toDedupRule(by, key.trim()),
          redactPaths: splitLines(redact),
          ...(secret === '' ? {} : { secret }),
        })
      }
      onDone={onCreated}
      staysOpen
      validate={validate}
      submitLabel={TEXT.submit}
      pendingLabel={TEXT.submitting}
      onClose={onClose}
      className="pt-2"
    >
      <TextInput
        label={TEXT.name}
        hint={TEXT.nameHint}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        problem={isNameMissing ? TEXT.nameProblem : undefined}
        takesFocus
      />
      <TargetTopicFields
        workflows={workflows}
        target={target}
        onChange={setTarget}
        isRefused={isRefused}
      />
      <Select
        label={TEXT.auth}
        items={WEBHOOK_AUTHS.map((id) => ({ id, name: WEBHOOK_AUTH_LABELS[id] }))}
        chosen={auth}
        onChoose={(id) => setAuth(WEBHOOK_AUTHS.find((one) => one === id) ?? 'bearer')}
      />
      <Select
        label={TEXT.dedup}
        items={DEDUP_METHODS.map((id) => ({ id, name: DEDUP_LABELS[id] }))}
        chosen={by}
        onChoose={(id) => setBy(DEDUP_METHODS.find((one) => one === id) ?? 'body')}
      />
      {by === 'body' ? null : (
        <TextInput
          label={by === 'header' ? TEXT.header : TEXT.path}
          hint={by === 'header' ? TEXT.headerHint : TEXT.pathHint}
          value={key}
          onChange={setKey}
          maxLength={MAX_NAME_LENGTH}
          isRequired
        />
      )}
      <Disclosure label={TEXT.more}>
        <div className="grid gap-4">
          <TextInput
            label={TEXT.redact}
            hint={TEXT.redactHint}
            value={redact}
            onChange={setRedact}
            lines={{ rows: 3, isCode: true }}
          />
          <TextInput
            label={TEXT.secret}
            hint={TEXT.secretHint}
            value={secret}
            onChange={setSecret}
            isSecret
          />
        </div>
      </Disclosure>
    </SheetForm>
  );
}

function toDedupRule(by: DedupRule['by'], key: string): DedupRule {
  if (by === 'header') return { by, name: key };
  return by === 'path' ? { by, path: key } : { by };
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
