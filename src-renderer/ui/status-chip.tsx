// A status, said by an icon and a word; colour only helps.
import {
  AlarmClockOff,
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CirclePlay,
  CircleQuestionMark,
  CircleX,
  ScanSearch,
  type LucideIcon,
} from 'lucide-react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';
import { STATUS_WORDS, WORKFLOW_STATUS_WORDS } from '#renderer/text.ts';

type Tone = 'active' | 'good' | 'bad' | 'wait' | 'quiet';
type Status = ScriptRunStatus | SnapshotStatus;

const TONES: Readonly<Record<Tone, string>> = {
  active: 'bg-active-tint text-active',
  good: 'bg-good-tint text-good',
  bad: 'bg-bad-tint text-bad',
  wait: 'bg-wait-tint text-wait',
  quiet: 'bg-quiet-tint text-quiet',
};

const LOOKS: Readonly<Record<Status, { readonly icon: LucideIcon; readonly tone: Tone }>> = {
  unknown: { icon: CircleQuestionMark, tone: 'quiet' },
  booting: { icon: CircleDashed, tone: 'active' },
  running: { icon: CirclePlay, tone: 'active' },
  validating: { icon: ScanSearch, tone: 'active' },
  completed: { icon: CircleCheck, tone: 'good' },
  failed: { icon: CircleX, tone: 'bad' },
  suspended: { icon: CirclePause, tone: 'wait' },
  canceled: { icon: Ban, tone: 'quiet' },
  timed_out: { icon: AlarmClockOff, tone: 'wait' },
};

interface ChipProps {
  readonly icon: LucideIcon;
  readonly tone: Tone;
  readonly word: string;
}

function Chip({ icon: Icon, tone, word }: ChipProps) {
  return (
    <span
      className={`inline-flex h-5.5 items-center gap-1 rounded-full pr-2 pl-1.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={2.25} />
      {word}
    </span>
  );
}

export function StatusChip({ status }: { readonly status: Status }) {
  return <Chip {...LOOKS[status]} word={STATUS_WORDS[status]} />;
}

export function StatusIcon({ status }: { readonly status: Status }) {
  const { icon: Icon } = LOOKS[status];
  return <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />;
}

export function WorkflowStatusChip({ status }: { readonly status: WorkflowView['status'] }) {
  const look =
    status === 'active'
      ? ({ icon: CircleCheck, tone: 'good' } as const)
      : ({ icon: CirclePause, tone: 'wait' } as const);
  return <Chip {...look} word={WORKFLOW_STATUS_WORDS[status]} />;
}
