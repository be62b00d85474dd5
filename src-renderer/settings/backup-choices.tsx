// Daily backups, and how many to keep.
import { useRef, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { SettingSwitch } from '#renderer/ui/setting-switch.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = upkeepText.backups;
const USUAL = [3, 7, 14, 30];

interface Props {
  readonly known: CallOutput<'backups.list'>;
  readonly onChanged: () => void;
}

export function BackupChoices({ known, onChanged }: Props) {
  const { client } = useApp();
  return (
    <section
      aria-label={WORDS.choices}
      className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      <SettingSwitch
        name={WORDS.daily}
        hint={WORDS.dailyHint(known.keep)}
        isOn={known.isDaily}
        set={(isDaily) => client.call('backups.choose', { isDaily })}
        onChanged={onChanged}
      />
      <Keep known={known} onChanged={onChanged} />
    </section>
  );
}

function Keep({ known, onChanged }: Props) {
  const { client } = useApp();
  const [wanted, setWanted] = useState(known.keep);
  /** A ref, because state would lag behind the same press. */
  const wish = useRef(known.keep);
  const [isAsking, setIsAsking] = useState(false);
  const removed = Math.max(0, known.backups.length - wanted);
  const back = (): void => {
    setIsAsking(false);
    setWanted(known.keep);
  };
  const keep = useAct({
    idFor: 'click',
    act: () => client.call('backups.choose', { keep: wish.current }),
    onDone: () => {
      setIsAsking(false);
      onChanged();
    },
  });
  const choose = (id: string): void => {
    const next = Number(id);
    wish.current = next;
    setWanted(next);
    if (known.backups.length > next) setIsAsking(true);
    else keep.perform();
  };
  const numbers = [...new Set([...USUAL, known.keep])].toSorted((one, other) => one - other);
  return (
    <div className="grid gap-2 px-4 py-3">
      <OneOf
        label={WORDS.keep}
        items={numbers.map((each) => ({ id: String(each), name: WORDS.keepItem(each) }))}
        chosen={String(isAsking ? wanted : known.keep)}
        onChoose={choose}
      />
      <Failure error={isAsking ? null : keep.error} />
      <Sheet title={WORDS.fewerTitle(wanted)} isOpen={isAsking} onClose={back}>
        <Confirm
          warning={WORDS.fewerWarning(removed)}
          submit={WORDS.fewer}
          act={keep}
          onCancel={back}
        />
      </Sheet>
    </div>
  );
}
