// A form that starts an input manually.
import { Play } from 'lucide-react';
import { useState } from 'react';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { parseTypedJson } from '#renderer/format/parse-typed-json.ts';
import { NO_TARGET, TargetTopicFields, topicParam } from '#renderer/inputs/target-topic.tsx';
import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import { href } from '#renderer/navigation/router.ts';
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

const TEXT = inputsText.start;

export function StartInput() {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  usePageCommand({
    id: 'inputs.start',
    name: TEXT.title,
    icon: Play,
    isHarmless: true,
    run: () => setOpen(true),
  });
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        <Play aria-hidden className="size-3.5" />
        {TEXT.open}
      </Button>
      <Sheet title={TEXT.title} isOpen={isOpen} onClose={close}>
        <StartForm onClose={close} />
      </Sheet>
    </>
  );
}

function StartForm({ onClose }: { readonly onClose: () => void }) {
  const { client, router } = useApp();
  const workflows = useWorkflowNames();
  const [target, setTarget] = useState(NO_TARGET);
  const [title, setTitle] = useState('');
  const [payload, setPayload] = useState('');
  const [isRefused, setRefused] = useState(false);
  const typed = parseTypedJson(payload);
  const validate = (): boolean => {
    const isValid = typed.ok && target.workflowId !== '';
    setRefused(!isValid);
    return isValid;
  };
  return (
    <SheetForm
      action={(requestId) =>
        client.call('inputs.start', {
          requestId,
          workflowId: target.workflowId,
          ...topicParam(target),
          ...(title.trim() === '' ? {} : { title }),
          payload: typed.ok ? typed.value : null,
        })
      }
      onDone={({ input }) => {
        showToast({ text: TEXT.started });
        router.navigate(href.input(input.id));
      }}
      validate={validate}
      submitLabel={TEXT.submit}
      pendingLabel={TEXT.submitting}
      onClose={onClose}
      className="pt-2"
    >
      <p className="text-muted">{TEXT.hint}</p>
      <TargetTopicFields
        workflows={workflows}
        target={target}
        onChange={setTarget}
        isRefused={isRefused}
      />
      <TextInput label={TEXT.name} value={title} onChange={setTitle} maxLength={MAX_NAME_LENGTH} />
      <TextInput
        label={TEXT.payload}
        hint={TEXT.payloadHint}
        value={payload}
        onChange={setPayload}
        problem={isRefused && !typed.ok ? TEXT.payloadProblem : undefined}
        lines={{ rows: 5, isCode: true }}
      />
    </SheetForm>
  );
}
