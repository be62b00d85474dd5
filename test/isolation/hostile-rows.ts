// Rows as a peer with a bug, or a hostile one, may send them: legal frames, legal JSON, and content that
// no version of Holdfast writes. Each is a legal row with one value replaced.
import type { Database } from '#main/store/sqlite/database.ts';
import { ROW_ITSELF, type Change, type Value } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import type { Json, JsonObject } from '#shared/json.ts';

export interface Template {
  /** The parts of the key of the `n`th row. */
  readonly key: (n: number) => readonly (string | number)[];
  readonly columns: { readonly [column: string]: Json };
}

const AT = 1_700_000_000_000;
const DATE = '2026-01-01T00:00:00.000Z';

const byId =
  (prefix: string) =>
  (n: number): string[] => [`${prefix}-${n}`];

/** A legal row of each synced table, about this workflow. */
export function templatesOf(
  workflowId: string,
  topicId: string,
): {
  readonly [table: string]: Template;
} {
  const of = { workflow_id: workflowId };
  return {
    workflows: {
      key: byId('workflow'),
      columns: {
        facts: { created_at: AT, created_by_device_id: 'peer' },
        definition: { name: 'Theirs', script_id: 'script-1', handler_config: { topics: [] } },
        progress: { status: 'paused', reason: 'because', updated_at: AT },
        draft: { script_id: 'script-2', based_on: 'script-1' },
      },
    },
    scripts: {
      key: byId('script'),
      columns: {
        facts: {
          ...of,
          sha: 'abc',
          code: 'export {};',
          file_name: 'w.ts',
          handler_config: { topics: [] },
          created_at: AT,
          device_id: 'peer',
        },
      },
    },
    script_runs: {
      key: byId('session'),
      columns: {
        facts: {
          ...of,
          lane: 'main',
          start_request_id: 'r',
          trigger: 'event',
          script_id: 'script-1',
          run_start_sha: 'abc',
          flags: {},
          device_id: 'peer',
          created_at: AT,
        },
        progress: { status: 'running', sandbox_id: 's', error: 'e', ended_at: AT },
      },
    },
    run_events: {
      key: (n) => ['run-1', `key-${n}`],
      columns: {
        facts: {
          run_seq: 1,
          event_type: 'run.started',
          event_id: 'e',
          device_id: 'peer',
          persisted_at: DATE,
          emitted_at: DATE,
          payload: { a: 1 },
        },
      },
    },
    topics: { key: byId('topic'), columns: { facts: { ...of, name: 'theirs', created_at: AT } } },
    events: {
      key: byId('event'),
      columns: {
        facts: {
          ...of,
          topic_id: topicId,
          message_id: 'm',
          created_by_run_id: 'run-1',
          caused_by: 'input-1',
          also_caused_by: ['input-2'],
          depth: 1,
          created_at: AT,
          arrival: AT,
          place: 1,
        },
        content: { title: 'One', payload: 1 },
        progress: { status: 'pending', attempt_number: 1, updated_at: AT },
      },
    },
    handler_runs: {
      key: byId('run'),
      columns: {
        facts: {
          ...of,
          script_run_id: 'session-1',
          handler_type: 'consumer',
          handler_name: 'echo',
          input_state: null,
          retry_of: 'run-0',
          caused_by: 'event-1',
          device_id: 'peer',
          epoch: 1,
          start_timestamp: DATE,
        },
        progress: {
          phase: 'suspended',
          resume_phase: 'mutating',
          reason: 'reconciliation',
          error: 'e',
          timeline: { pending: AT },
          cost: 1,
        },
        takeover: { phase: 'preparing', over: 'suspended', timeline: { preparing: AT } },
        prepare_result: { reservations: [{ eventId: 'event-1', attempt: 1 }], ui: { title: 't' } },
        logs: [],
      },
    },
    mutations: {
      key: byId('effect'),
      columns: {
        facts: { ...of, handler_run_id: 'run-1', device_id: 'peer', epoch: 1, created_at: AT },
        call: {
          tool_namespace: 'ask',
          tool_method: 'question',
          params: { question: 'q', choices: ['a'] },
          idempotency_key: 'k',
        },
        outcome: {
          status: 'indeterminate',
          error: 'e',
          reconcile_attempts: 1,
          next_reconcile_at: AT,
          updated_at: AT,
        },
        takeover: { status: 'applied', result: 1, resolved_by: 'user_skip', updated_at: AT },
      },
    },
    handler_state: {
      key: byId('state'),
      columns: {
        facts: { ...of, handler_name: 'echo' },
        value: { state: { n: 1 }, updated_at: AT, updated_by_run_id: 'run-1' },
      },
    },
    reservations: { key: (n) => [`event-${n}`, n, `run-${n}`], columns: {} },
    resolutions: {
      key: byId('resolution'),
      columns: {
        facts: {
          ...of,
          mutation_id: 'effect-1',
          resolution: 'user_assert_failed',
          result: 1,
          note: 'n',
          confirmed: true,
          not_before: AT,
          device_id: 'peer',
          created_at: AT,
        },
        outcome: { status: 'waiting' },
      },
    },
    ownership_claims: {
      key: (n) => [workflowId, [0, 2 ** 53, 3, 4, 5][n] ?? n, 'peer'],
      columns: {
        facts: { how: 'takeover', from_device_id: 'd', from_epoch: 1, claimed_at: AT },
        release: { to_device_id: 'other', at: AT },
      },
    },
    intents: {
      key: byId('intent'),
      columns: {
        facts: {
          ...of,
          wish: { kind: 'rerun', eventId: 'event-1', payload: 1 },
          device_id: 'peer',
          created_at: AT,
        },
        outcome: { status: 'waiting', message: 'm', at: AT },
      },
    },
    incidents: {
      key: byId('incident'),
      columns: { facts: { ...of, kind: 'double_run', about: 'event-1:1', at: AT } },
    },
    devices: {
      key: byId('device'),
      columns: {
        facts: { key_hash: 'k', created_at: AT },
        profile: { name: 'Theirs', updated_at: AT },
      },
    },
    trigger_events: {
      key: byId('input'),
      columns: {
        facts: {
          ...of,
          organization_id: 'space',
          kind: 'manual',
          trigger_id: 'manual',
          dedup_key: 'k',
          source: 's',
          type: 't',
          external_id: 'x',
          title: 'Manual',
          topic: 'in',
          redact_paths: ['a'],
          redacted: [{ path: 'a' }],
          correlation_id: 'c',
          bytes: 1,
          sha256: 'abc',
          device_id: 'peer',
          created_at: AT,
        },
        raw_payload: { a: 1 },
      },
    },
    automation_runs: {
      key: byId('automation'),
      columns: {
        facts: {
          organization_id: 'space',
          automation_id: workflowId,
          trigger_event_id: 'input-1',
          trigger_id: 'manual',
          kind: 'manual',
          source: 's',
          queued_at: AT,
          deadline_at: AT,
        },
        progress: {
          status: 'needs_human',
          reason: 'r',
          moves: 3,
          last_activity_at: AT,
          waited_ms: 1,
          wait: { remind: '1d', within: '30d', otherwise: 'failed' },
        },
        artifacts: { policy: 'abc', policy_by: 'peer', bytes: { policy: 1 } },
        session: { id: 'session-1', created_at: AT },
        stopping: { as: 'skipped', reason: 'r', at: AT, until: AT },
        completion: { result: 1 },
      },
    },
    artifacts: {
      key: byId('artifact'),
      columns: {
        facts: {
          run_id: 'automation-1',
          name: 'a.txt',
          type: 'text/plain',
          bytes: 1,
          sha256: 'a'.repeat(64),
          maker: 'person',
          cause: 'r',
          device_id: 'peer',
          created_at: AT,
        },
      },
    },
    automation_side_effects: {
      key: (n) => [`effect-${n}`, 'space'],
      columns: {
        facts: {
          run_id: 'automation-1',
          handler_run_id: 'run-1',
          kind: 'http.post',
          provider: 'http',
          created_at: AT,
        },
        response_json: { a: 1 },
      },
    },
    automation_side_effect_runs: { key: (n) => [`effect-${n}`, 'space', 'run-1'], columns: {} },
  };
}

type Columns = Template['columns'];

const INSTEAD: readonly Json[] = [
  1e308,
  -1,
  1.5,
  'x',
  '',
  'z'.repeat(100_000),
  null,
  true,
  [],
  [null, 5],
  { a: { b: [] } },
];

/** Each value of the row replaced by each other value, and each left out. */
export function hostileVariants({ columns }: Template): Columns[] {
  return Object.entries(columns).flatMap(([column, value]) => {
    const whole = [...INSTEAD.filter((one) => one !== null), {}];
    const parts = isObject(value)
      ? Object.keys(value).flatMap((name) => {
          const { [name]: _gone, ...rest } = value;
          return [rest, ...INSTEAD.map((instead) => ({ ...rest, [name]: instead }))];
        })
      : [];
    return [...whole, ...parts].map((hostile) => ({ ...columns, [column]: hostile }));
  });
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One frame with these rows. */
export function frameOfRows(
  db: Database,
  table: string,
  rows: readonly { readonly key: readonly (string | number)[]; readonly columns: Columns }[],
  after = 0,
  columnVersion = 1,
): Buffer {
  const site = Buffer.alloc(16, 7);
  const changes = rows.flatMap(({ key, columns }): Change[] => {
    const packed = packKey(db, key);
    const names = Object.keys(columns);
    const values: [string, Value][] =
      names.length === 0
        ? [[ROW_ITSELF, null]]
        : names.map((name) => [name, JSON.stringify(columns[name])]);
    return values.map(([column, value]) => ({
      table,
      key: packed,
      column,
      value,
      columnVersion: column === ROW_ITSELF ? 1 : columnVersion,
      causalLength: 1,
      site,
    }));
  });
  return encodeChangeSet({ after, upTo: after + 1, part: 0, isLast: true, changes });
}

function packKey(db: Database, key: readonly (string | number)[]): Buffer {
  const parts = key.map((part) => (typeof part === 'number' ? BigInt(part) : part));
  const places = parts.map(() => '?').join(', ');
  return db.value<Buffer>(`SELECT crsql_pack_columns(${places})`, ...parts) as Buffer;
}
