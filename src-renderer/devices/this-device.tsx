// This device's name and id.
import { useState, type FormEvent } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { DeviceChip } from '#renderer/devices/device-chip.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly device: DeviceView;
  readonly onRenamed: () => void;
}

export function ThisDevice({ device, onRenamed }: Props) {
  const [isEditing, setIsEditing] = useState(false);
  return (
    <section
      aria-label={text.devices.own}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-0 text-[0.9375rem] font-semibold wrap-anywhere">{device.name}</h2>
        <DeviceChip status="this" />
        {isEditing ? null : (
          <Button
            size="small"
            variant="quiet"
            className="ml-auto"
            onPress={() => setIsEditing(true)}
          >
            {text.devices.rename}
          </Button>
        )}
      </div>
      {isEditing ? (
        <RenameForm
          name={device.ownName}
          onClose={() => setIsEditing(false)}
          onRenamed={() => {
            setIsEditing(false);
            onRenamed();
          }}
        />
      ) : (
        <p className="text-[0.8125rem] text-muted">
          {text.devices.id}{' '}
          <code className="font-mono text-xs wrap-anywhere select-all">{device.id}</code>
        </p>
      )}
    </section>
  );
}

interface FormProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRenamed: () => void;
}

function RenameForm({ name: before, onClose, onRenamed }: FormProps) {
  const { client } = useApp();
  const [name, setName] = useState(before);
  const renaming = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('devices.rename', { name }),
    onDone: onRenamed,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') renaming.perform();
  };
  return (
    <form onSubmit={submit} className="grid max-w-md gap-3">
      <TextInput
        label={text.devices.name}
        hint={text.devices.nameHint}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        takesFocus
      />
      <Failure error={renaming.error} />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isPending={renaming.isPending}>
          {text.devices.save}
        </Button>
        <Button onPress={onClose}>{text.app.cancel}</Button>
      </div>
    </form>
  );
}
