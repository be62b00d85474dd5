// What the HTTP API answers, as far as the scenarios look at it.

export interface WorkflowView {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'paused';
  readonly statusReason: string | null;
  readonly isBusy: boolean;
  readonly owner: OwnerView;
  readonly openQuestions: number;
  readonly scriptId: string | null;
  readonly draftScriptId: string | null;
  readonly path: string | null;
  readonly producers: readonly { readonly name: string; readonly nextRunAt: number | null }[];
  readonly topics: readonly { readonly name: string; readonly pending: number }[];
  readonly failing: readonly string[];
}

export interface OwnerView {
  readonly state: string;
  readonly deviceId: string | null;
  readonly isThisDevice: boolean;
  readonly epoch: number;
  readonly toDeviceId: string | null;
}

export interface RunView {
  readonly id: string;
  readonly handlerType: 'producer' | 'consumer';
  readonly handlerName: string;
  readonly scriptRunId: string;
  readonly title: string | null;
  readonly phase: string;
  readonly reason: string | null;
  readonly error: string | null;
  readonly errorType: string | null;
  readonly effect: string | null;
  readonly retryOf: string | null;
  readonly deviceId: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface RunDetail extends RunView {
  readonly inputState: unknown;
  readonly outputState: unknown;
  readonly logs: readonly { readonly text: string }[];
  readonly eventsIn: readonly EventView[];
  readonly eventsOut: readonly EventView[];
  readonly mutation: EffectView | null;
}

export interface EventView {
  readonly id: string;
  readonly topic: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: unknown;
  readonly status: 'pending' | 'reserved' | 'consumed' | 'skipped';
  readonly attempt: number;
}

export interface EffectView {
  readonly id: string;
  readonly status: string;
  readonly effectId: string;
  readonly title: string;
  readonly error: string | null;
  readonly canCheck: boolean;
  readonly lookByHand: string;
  readonly result: unknown;
  readonly resolutions: readonly DecisionView[];
}

export interface DecisionView {
  readonly id: string;
  readonly resolution: string;
  readonly status: 'waiting' | 'done' | 'refused' | 'superseded';
  readonly message: string | null;
}

export interface InboxItem {
  readonly type: 'unknown_effect' | 'question' | 'approval' | 'set_aside' | 'stopped' | 'incident';
  readonly workflowId: string;
  readonly workflowName: string;
  readonly handlerRunId?: string;
  readonly mutation?: EffectView;
  readonly mutationId?: string;
  readonly question?: string;
  readonly error?: string;
  readonly reason?: string;
  readonly eventId?: string;
  readonly title?: string | null;
  readonly summary?: string;
  readonly incidentId?: string;
}

export interface InputView {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly run: {
    readonly id: string;
    readonly status: string;
    readonly statusReason: string | null;
    readonly completedAt: number | null;
  };
}

export interface InputDetail extends InputView {
  readonly payload: unknown;
  readonly completion: unknown;
  readonly redacted: readonly { readonly path: string }[];
  readonly history: readonly { readonly type: string; readonly to: string | null }[];
  readonly sideEffects: readonly { readonly effectId: string }[];
  readonly steps: readonly { readonly type: string }[];
}

export interface SessionView {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

export interface DeviceView {
  readonly id: string;
  readonly name: string;
  readonly state: 'this' | 'linked' | 'away' | 'unpaired' | 'known';
  readonly sync: { readonly state: string } | null;
}

export interface JobView {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}
