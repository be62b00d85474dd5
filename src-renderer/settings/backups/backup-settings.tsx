// Daily backups, and how many to keep.
import { useRef, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { SettingSwitch } from '#renderer/ui/fields/setting-switch.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = upkeepText.backups;
const PRESET_COUNTS = [3, 7, 14, 30];

interface Props {
  readonly known: CallOutput<'backups.list'>;
  readonly onChanged: () => void;
}

export function BackupSettings({ known, onChanged }: Props) {
  const { client } = useApp();
  return (
    <section
      aria-label={TEXT.choices}
      className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      <SettingSwitch
        name={TEXT.daily}
        hint={TEXT.dailyHint(known.keep)}
        isOn={known.isDaily}
        save={(isDaily) => client.call('backups.choose', { isDaily })}
        onChanged={onChanged}
      />
      <KeepCount known={known} onChanged={onChanged} />
    </section>
  );
}

function KeepCount({ known, onChanged }: Props) {
  const { client } = useApp();
  const [wanted, setWanted] = useState(known.keep);
  /** A ref, because state would lag behind the same press. */
  const chosenCount = useRef(known.keep);
  const [isConfirming, setIsConfirming] = useState(false);
  const removed = Math.max(0, known.backups.length - wanted);
  const back = (): void => {
    setIsConfirming(false);
    setWanted(known.keep);
  };
  const keep = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('backups.choose', { keep: chosenCount.current }),
    onDone: () => {
      setIsConfirming(false);
      onChanged();
    },
  });
  const choose = (id: string): void => {
    const next = Number(id);
    chosenCount.current = next;
    setWanted(next);
    if (known.backups.length > next) setIsConfirming(true);
    else keep.perform();
  };
  const numbers = [...new Set([...PRESET_COUNTS, known.keep])].toSorted(
    (one, other) => one - other,
  );
  return (
    <div className="grid gap-2 px-4 py-3">
      <Select
        label={TEXT.keep}
        items={numbers.map((each) => ({ id: String(each), name: TEXT.keepItem(each) }))}
        chosen={String(isConfirming ? wanted : known.keep)}
        onChoose={choose}
      />
      <Failure error={isConfirming ? null : keep.error} />
      <Sheet title={TEXT.fewerTitle(wanted)} isOpen={isConfirming} onClose={back}>
        <Confirm
          warning={TEXT.fewerWarning(removed)}
          submitLabel={TEXT.fewer}
          action={keep}
          onCancel={back}
        />
      </Sheet>
    </div>
  );
}
