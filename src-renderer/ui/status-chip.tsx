// A status as icon and word. Color is only an addition.
import {
  AlarmClockOff,
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CirclePlay,
  CircleQuestionMark,
  CircleX,
  ClipboardCheck,
  ClipboardList,
  Clock,
  FileCheck,
  Hand,
  Hourglass,
  OctagonX,
  PackageX,
  Radio,
  ScanSearch,
  SendHorizontal,
  ShieldQuestionMark,
  SkipForward,
  Zap,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react';
import type { InboxItem } from '#shared/api/inbox.ts';
import type { RunState } from '#shared/api/run-search.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';
import {
  AUTOMATION_RUN_SENTENCES,
  AUTOMATION_RUN_WORDS,
  EFFECT_STATUS_SENTENCES,
  EFFECT_WORDS,
  EVENT_SENTENCES,
  EVENT_WORDS,
  INBOX_SENTENCES,
  INBOX_WORDS,
  JOB_SENTENCES,
  JOB_STATUS_WORDS,
  PHASE_SENTENCES,
  PHASE_WORDS,
  SESSION_SENTENCES,
  STATUS_WORDS,
  WORKFLOW_SENTENCES,
  WORKFLOW_STATE_WORDS,
  type WorkflowState,
} from '#renderer/text/status-words.ts';
import { Explained } from '#renderer/ui/explained.tsx';

type Tone = 'active' | 'good' | 'bad' | 'wait' | 'quiet';
type Status = ScriptRunStatus | SnapshotStatus;

const TONES: Readonly<Record<Tone, string>> = {
  active: 'bg-active-tint text-active',
  good: 'bg-good-tint text-good',
  bad: 'bg-bad-tint text-bad',
  wait: 'bg-wait-tint text-wait',
  quiet: 'bg-quiet-tint text-quiet',
};

export interface Look {
  readonly icon: LucideIcon;
  readonly tone: Tone;
}

const LOOKS: Readonly<Record<Status, Look>> = {
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

const WORKFLOW_LOOKS: Readonly<Record<WorkflowState, Look>> = {
  running: { icon: CirclePlay, tone: 'active' },
  active: { icon: CircleCheck, tone: 'good' },
  failing: { icon: CircleX, tone: 'bad' },
  stopped: { icon: OctagonX, tone: 'bad' },
  waiting: { icon: Hand, tone: 'wait' },
  pausing: { icon: Hourglass, tone: 'wait' },
  paused: { icon: CirclePause, tone: 'wait' },
};

const PHASE_LOOKS: Readonly<Record<Phase, Look>> = {
  pending: { icon: CircleDashed, tone: 'quiet' },
  preparing: { icon: ClipboardList, tone: 'active' },
  prepared: { icon: ClipboardCheck, tone: 'active' },
  mutating: { icon: Zap, tone: 'active' },
  mutated: { icon: CircleDot, tone: 'active' },
  emitting: { icon: Radio, tone: 'active' },
  executing: { icon: CirclePlay, tone: 'active' },
  committed: { icon: CircleCheck, tone: 'good' },
  suspended: { icon: CirclePause, tone: 'wait' },
  failed: { icon: CircleX, tone: 'bad' },
};

const EFFECT_LOOKS: Readonly<Record<MutationStatus, Look>> = {
  pending: { icon: Clock, tone: 'quiet' },
  in_flight: { icon: SendHorizontal, tone: 'active' },
  applied: { icon: FileCheck, tone: 'good' },
  failed: { icon: Ban, tone: 'quiet' },
  needs_reconcile: { icon: ScanSearch, tone: 'wait' },
  indeterminate: { icon: CircleQuestionMark, tone: 'wait' },
};

const INBOX_LOOKS: Readonly<Record<InboxItem['type'], Look>> = {
  unknown_effect: { icon: CircleQuestionMark, tone: 'wait' },
  question: { icon: Hand, tone: 'active' },
  approval: { icon: ShieldQuestionMark, tone: 'wait' },
  set_aside: { icon: PackageX, tone: 'bad' },
  stopped: { icon: CirclePause, tone: 'bad' },
  incident: { icon: TriangleAlert, tone: 'bad' },
};

const EVENT_LOOKS: Readonly<Record<EventStatus, Look>> = {
  pending: { icon: Clock, tone: 'quiet' },
  reserved: { icon: CircleDot, tone: 'active' },
  consumed: { icon: CircleCheck, tone: 'good' },
  skipped: { icon: SkipForward, tone: 'quiet' },
};

const JOB_LOOKS: Readonly<Record<RunnerJobStatus, Look>> = {
  queued: { icon: Clock, tone: 'quiet' },
  running: { icon: CirclePlay, tone: 'active' },
  cancel_requested: { icon: Hourglass, tone: 'wait' },
  succeeded: { icon: CircleCheck, tone: 'good' },
  failed: { icon: CircleX, tone: 'bad' },
  canceled: { icon: Ban, tone: 'quiet' },
  timed_out: { icon: AlarmClockOff, tone: 'wait' },
};

const AUTOMATION_RUN_LOOKS: Readonly<Record<AutomationRunStatus, Look>> = {
  queued: { icon: Clock, tone: 'quiet' },
  enriching: { icon: ScanSearch, tone: 'active' },
  ready: { icon: ClipboardCheck, tone: 'active' },
  running: { icon: CirclePlay, tone: 'active' },
  succeeded: { icon: CircleCheck, tone: 'good' },
  failed: { icon: CircleX, tone: 'bad' },
  needs_human: { icon: Hand, tone: 'wait' },
  canceled: { icon: Ban, tone: 'quiet' },
  timed_out: { icon: AlarmClockOff, tone: 'wait' },
  skipped: { icon: SkipForward, tone: 'quiet' },
};

interface ChipProps extends Look {
  readonly word: string;
  readonly sentence?: string;
  readonly isExplained?: boolean;
}

export function Chip({ icon: Icon, tone, word, sentence, isExplained = false }: ChipProps) {
  const chip = (
    <span
      title={isExplained ? undefined : sentence}
      className={`inline-flex h-5.5 items-center gap-1 rounded-full pr-2 pl-1.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={2.25} />
      {word}
    </span>
  );
  return isExplained && sentence !== undefined ? (
    <Explained sentence={sentence}>{chip}</Explained>
  ) : (
    chip
  );
}

interface Explanation {
  /**
   * Also shows the tooltip on focus. Not for lists, where every row would get another tab stop; the
   * row's page has it.
   */
  readonly isExplained?: boolean;
}

export function StatusChip({
  status,
  isExplained = false,
}: Explanation & { readonly status: Status }) {
  const said = { word: STATUS_WORDS[status], sentence: SESSION_SENTENCES[status] };
  return <Chip {...LOOKS[status]} {...said} isExplained={isExplained} />;
}

export function StatusIcon({ status }: { readonly status: Status }) {
  const { icon: Icon } = LOOKS[status];
  return <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />;
}

const RUN_STATE_ICONS: Readonly<Record<RunState, LucideIcon>> = {
  active: CirclePlay,
  waiting: CirclePause,
  failed: CircleX,
  done: CircleCheck,
};

export function RunStateIcon({ state }: { readonly state: RunState }) {
  const Icon = RUN_STATE_ICONS[state];
  return <Icon aria-hidden className="size-3.5 shrink-0" />;
}

export function WorkflowChip({
  state,
  isExplained = false,
}: Explanation & { readonly state: WorkflowState }) {
  const said = { word: WORKFLOW_STATE_WORDS[state], sentence: WORKFLOW_SENTENCES[state] };
  return <Chip {...WORKFLOW_LOOKS[state]} {...said} isExplained={isExplained} />;
}

export function PhaseChip({ phase, isExplained = false }: Explanation & { readonly phase: Phase }) {
  const said = { word: PHASE_WORDS[phase], sentence: PHASE_SENTENCES[phase] };
  return <Chip {...PHASE_LOOKS[phase]} {...said} isExplained={isExplained} />;
}

export function EffectChip({
  status,
  isExplained = false,
}: Explanation & { readonly status: MutationStatus }) {
  const said = { word: EFFECT_WORDS[status], sentence: EFFECT_STATUS_SENTENCES[status] };
  return <Chip {...EFFECT_LOOKS[status]} {...said} isExplained={isExplained} />;
}

export function EventChip({ status }: { readonly status: EventStatus }) {
  const said = { word: EVENT_WORDS[status], sentence: EVENT_SENTENCES[status] };
  return <Chip {...EVENT_LOOKS[status]} {...said} isExplained />;
}

export function InboxChip({ type }: { readonly type: InboxItem['type'] }) {
  const said = { word: INBOX_WORDS[type], sentence: INBOX_SENTENCES[type] };
  return <Chip {...INBOX_LOOKS[type]} {...said} isExplained />;
}

export function JobChip({
  status,
  isExplained = false,
}: Explanation & { readonly status: RunnerJobStatus }) {
  const said = { word: JOB_STATUS_WORDS[status], sentence: JOB_SENTENCES[status] };
  return <Chip {...JOB_LOOKS[status]} {...said} isExplained={isExplained} />;
}

export function InputChip({
  status,
  isExplained = false,
}: Explanation & { readonly status: AutomationRunStatus }) {
  const said = { word: AUTOMATION_RUN_WORDS[status], sentence: AUTOMATION_RUN_SENTENCES[status] };
  return <Chip {...AUTOMATION_RUN_LOOKS[status]} {...said} isExplained={isExplained} />;
}

export function InputStatusIcon({ status }: { readonly status: AutomationRunStatus }) {
  const { icon: Icon } = AUTOMATION_RUN_LOOKS[status];
  return <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />;
}
