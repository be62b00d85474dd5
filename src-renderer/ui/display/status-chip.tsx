// A status as icon and word. Color is only an addition.
import {
  Archive,
  AlarmClockOff,
  ArrowRightLeft,
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
  Timer,
  Zap,
  type LucideIcon,
  TriangleAlert,
  WifiOff,
} from 'lucide-react';
import type { InboxItem } from '#shared/api/inbox.ts';
import type { RunState } from '#shared/api/run-search.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/session-enums.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';
import {
  AUTOMATION_RUN_SENTENCES,
  AUTOMATION_RUN_LABELS,
  EFFECT_STATUS_SENTENCES,
  EFFECT_LABELS,
  EVENT_SENTENCES,
  EVENT_LABELS,
  INBOX_SENTENCES,
  INBOX_LABELS,
  JOB_SENTENCES,
  JOB_LABELS,
  PHASE_SENTENCES,
  PHASE_LABELS,
  SESSION_SENTENCES,
  SESSION_LABELS,
  WORKFLOW_SENTENCES,
  WORKFLOW_LABELS,
  type WorkflowState,
} from '#renderer/text/status-labels.ts';
import { Tooltip } from '#renderer/ui/feedback/tooltip.tsx';

type Tone = 'active' | 'good' | 'bad' | 'wait' | 'quiet';
type SessionStatus = ScriptRunStatus | SnapshotStatus;

const TONES: Readonly<Record<Tone, string>> = {
  active: 'bg-active-tint text-active',
  good: 'bg-good-tint text-good',
  bad: 'bg-bad-tint text-bad',
  wait: 'bg-wait-tint text-wait',
  quiet: 'bg-quiet-tint text-quiet',
};

export interface ChipStyle {
  readonly icon: LucideIcon;
  readonly tone: Tone;
}

const SESSION_STYLES: Readonly<Record<SessionStatus, ChipStyle>> = {
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

const WORKFLOW_STYLES: Readonly<Record<WorkflowState, ChipStyle>> = {
  running: { icon: CirclePlay, tone: 'active' },
  active: { icon: CircleCheck, tone: 'good' },
  failing: { icon: CircleX, tone: 'bad' },
  stopped: { icon: OctagonX, tone: 'bad' },
  waiting: { icon: Hand, tone: 'wait' },
  held: { icon: Timer, tone: 'wait' },
  offline: { icon: WifiOff, tone: 'wait' },
  pausing: { icon: Hourglass, tone: 'wait' },
  paused: { icon: CirclePause, tone: 'wait' },
  released: { icon: ArrowRightLeft, tone: 'wait' },
};

const PHASE_STYLES: Readonly<Record<Phase, ChipStyle>> = {
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

const EFFECT_STYLES: Readonly<Record<MutationStatus, ChipStyle>> = {
  pending: { icon: Clock, tone: 'quiet' },
  in_flight: { icon: SendHorizontal, tone: 'active' },
  applied: { icon: FileCheck, tone: 'good' },
  failed: { icon: Ban, tone: 'quiet' },
  needs_reconcile: { icon: ScanSearch, tone: 'wait' },
  indeterminate: { icon: CircleQuestionMark, tone: 'wait' },
};

const INBOX_STYLES: Readonly<Record<InboxItem['type'], ChipStyle>> = {
  unknown_effect: { icon: CircleQuestionMark, tone: 'wait' },
  question: { icon: Hand, tone: 'active' },
  approval: { icon: ShieldQuestionMark, tone: 'wait' },
  set_aside: { icon: PackageX, tone: 'bad' },
  stopped: { icon: CirclePause, tone: 'bad' },
  left_behind: { icon: Archive, tone: 'wait' },
  refused_row: { icon: Ban, tone: 'bad' },
  incident: { icon: TriangleAlert, tone: 'bad' },
};

const EVENT_STYLES: Readonly<Record<EventStatus, ChipStyle>> = {
  pending: { icon: Clock, tone: 'quiet' },
  reserved: { icon: CircleDot, tone: 'active' },
  consumed: { icon: CircleCheck, tone: 'good' },
  skipped: { icon: SkipForward, tone: 'quiet' },
};

const JOB_STYLES: Readonly<Record<RunnerJobStatus, ChipStyle>> = {
  queued: { icon: Clock, tone: 'quiet' },
  running: { icon: CirclePlay, tone: 'active' },
  cancel_requested: { icon: Hourglass, tone: 'wait' },
  succeeded: { icon: CircleCheck, tone: 'good' },
  failed: { icon: CircleX, tone: 'bad' },
  canceled: { icon: Ban, tone: 'quiet' },
  timed_out: { icon: AlarmClockOff, tone: 'wait' },
};

const AUTOMATION_RUN_STYLES: Readonly<Record<AutomationRunStatus, ChipStyle>> = {
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

interface ChipProps extends ChipStyle {
  readonly label: string;
  readonly explanation?: string;
  readonly hasTooltip?: boolean;
}

export function Chip({ icon: Icon, tone, label, explanation, hasTooltip = false }: ChipProps) {
  const chip = (
    <span
      title={hasTooltip ? undefined : explanation}
      className={`inline-flex h-5.5 items-center gap-1 rounded-full pr-2 pl-1.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={2.25} />
      {label}
    </span>
  );
  return hasTooltip && explanation !== undefined ? (
    <Tooltip content={explanation}>{chip}</Tooltip>
  ) : (
    chip
  );
}

interface StatusProps<Status> {
  readonly status: Status;
  /**
   * Also shows the tooltip on focus. Not for lists, where every row would get another tab stop; the
   * row's page has it.
   */
  readonly hasTooltip?: boolean;
}

/** A chip for every status of one machine. */
function statusChip<Status extends string>(
  styles: Readonly<Record<Status, ChipStyle>>,
  labels: Readonly<Record<Status, string>>,
  explanations: Readonly<Record<Status, string>>,
) {
  return function StatusChip({ status, hasTooltip = false }: StatusProps<Status>) {
    const texts = { label: labels[status], explanation: explanations[status] };
    return <Chip {...styles[status]} {...texts} hasTooltip={hasTooltip} />;
  };
}

export const SessionChip = statusChip(SESSION_STYLES, SESSION_LABELS, SESSION_SENTENCES);
export const WorkflowChip = statusChip(WORKFLOW_STYLES, WORKFLOW_LABELS, WORKFLOW_SENTENCES);
export const PhaseChip = statusChip(PHASE_STYLES, PHASE_LABELS, PHASE_SENTENCES);
export const EffectChip = statusChip(EFFECT_STYLES, EFFECT_LABELS, EFFECT_STATUS_SENTENCES);
export const EventChip = statusChip(EVENT_STYLES, EVENT_LABELS, EVENT_SENTENCES);
export const InboxChip = statusChip(INBOX_STYLES, INBOX_LABELS, INBOX_SENTENCES);
export const JobChip = statusChip(JOB_STYLES, JOB_LABELS, JOB_SENTENCES);
export const InputChip = statusChip(
  AUTOMATION_RUN_STYLES,
  AUTOMATION_RUN_LABELS,
  AUTOMATION_RUN_SENTENCES,
);

function statusIcon<Status extends string>(styles: Readonly<Record<Status, ChipStyle>>) {
  return function StatusIcon({ status }: { readonly status: Status }) {
    const { icon: Icon } = styles[status];
    return <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />;
  };
}

export const SessionIcon = statusIcon(SESSION_STYLES);
export const InputStatusIcon = statusIcon(AUTOMATION_RUN_STYLES);

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
