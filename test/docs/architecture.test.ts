// ARCHITECTURE.md against the code: its diagrams and tables are parsed and compared.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import {
  transitionAutomationRun,
  type AutomationRunState,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import {
  continuationOf,
  POSITIONS,
  REASONS,
  type EffectStatus,
  type FoundRun,
  type Reason,
} from '#shared/machines/continuation.ts';
import { transitionEvent, type EventState, type EventTransition } from '#shared/machines/event.ts';
import {
  transitionConsumerRun,
  type ConsumerActivePhase,
  type ConsumerRunState,
  type ConsumerTransition,
} from '#shared/machines/handler-run.ts';
import {
  MUTATION_STATUSES,
  transitionMutation,
  type MutationState,
  type MutationTransition,
} from '#shared/machines/mutation.ts';
import { isRejection, type Rejection } from '#shared/rejection.ts';
import { tablesOf } from '#scripts/lib/markdown-tables.ts';

const root = packageRoot();
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

const SOURCES =
  'src-main src-renderer src-shared bin scripts migrations bench test docs examples'.split(' ');

function maintainerPages(): string[] {
  const internals = readdirSync(join(root, 'docs/internals')).map(
    (name) => `docs/internals/${name}`,
  );
  return ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/inputs.md', 'docs/runner.md', ...internals];
}

test('[DC-7] the page is short', () => {
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(2500);
});

test('[DC-3] every file that a page for maintainers names exists', () => {
  const inFolders = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `/${folder}/${name}`,
    ),
  );
  const known = [...inFolders, ...readdirSync(root).map((name) => `/${name}`)];
  const missing = maintainerPages().flatMap((page) => {
    const names = readFileSync(join(root, page), 'utf8').matchAll(
      /`([\w./-]+\.(?:ts|tsx|mjs|sql))`/g,
    );
    return (
      [...names]
        .map(([, name = '']) => name)
        // Names in capitals stand for any.
        .filter((name) => !/NAME|AREA|NNNN/.test(name))
        .filter((name) => !known.some((file) => file.endsWith(`/${name}`)))
        .map((name) => `${page}: ${name}`)
    );
  });
  expect(missing).toEqual([]);
});

test('[DC-7] the component diagram and the folder table have the layers of the check', () => {
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string; to: { pathNot?: string } }[];
  };
  const known = forbidden.find(({ name }) => name === 'every-main-folder-has-a-layer')?.to.pathNot;
  const folders = /\((.+)\)/.exec(known ?? '')?.[1]?.split('|') ?? [];
  expect(folders.length).toBeGreaterThan(15);
  const rows = [...diagram('flowchart').matchAll(/r\d+\["([^"]+)"\]/g)].map(([, row]) => row ?? '');
  expect(rows.flatMap((row) => row.split(' · '))).toEqual(folders);
  const listed = tableWith('folder').rows.map((row) => row['folder']?.replaceAll('`', ''));
  expect(listed).toEqual(['src-shared', ...folders, 'src-renderer']);
});

test('[DC-7] the diagram of a consumer run has exactly the transitions of its machine', () => {
  const active: ConsumerActivePhase[] = [
    'preparing',
    'prepared',
    'mutating',
    'mutated',
    'emitting',
  ];
  const ended: ConsumerRunState[] = [
    { phase: 'committed', outputState: null, endedAt: 1 },
    { phase: 'failed', errorType: 'logic', error: '', endedAt: 1 },
  ];
  const states: ConsumerRunState[] = [
    { phase: 'pending' },
    ...active.map((phase) => ({ phase })),
    ...active.map((resumePhase) => ({
      phase: 'suspended' as const,
      resumePhase,
      reason: 'logic' as const,
    })),
    ...ended,
  ];
  const events: ConsumerTransition[] = [
    { type: 'prepare' },
    { type: 'checkpoint' },
    { type: 'mutate' },
    { type: 'settle' },
    { type: 'emit' },
    { type: 'suspend', reason: 'logic' },
    { type: 'resume' },
    { type: 'commit', outputState: null, at: 1 },
    { type: 'fail', errorType: 'logic', error: '', at: 1 },
  ];
  const edges = edgesOf(states, events, transitionConsumerRun, ({ phase }) => phase);
  expect(drawn('preparing --> prepared')).toEqual(edges);
});

test('[DC-7] the diagram of an effect has exactly the transitions of its machine', () => {
  const states: MutationState[] = [
    { status: 'pending' },
    { status: 'in_flight' },
    { status: 'applied', result: null },
    { status: 'failed', error: '' },
    { status: 'needs_reconcile', error: '', reconcile: { attempts: 0 } },
    { status: 'indeterminate', error: '' },
    { status: 'indeterminate', error: '', resolved: { by: 'user_skip', at: 1 } },
  ];
  const events: MutationTransition[] = [
    { type: 'send' },
    { type: 'apply', result: null },
    { type: 'fail', error: '' },
    { type: 'doubt', error: '' },
    { type: 'reconcile_again', at: 1, nextAt: 2 },
    { type: 'give_up', error: '' },
    { type: 'resolve', as: 'user_assert_applied', at: 1, result: null },
    { type: 'resolve', as: 'user_assert_failed', at: 1 },
    { type: 'resolve', as: 'user_skip', at: 1 },
    { type: 'resolve', as: 'user_retry', at: 1, canReconcile: true },
    { type: 'resolve', as: 'user_retry', at: 1, canReconcile: false },
  ];
  const edges = edgesOf(states, events, transitionMutation, ({ status }) => status);
  expect(drawn('pending --> in_flight')).toEqual(edges);
});

test('[DC-7] the diagram of an event has exactly the transitions of its machine', () => {
  const held = { attempt: 1, reservedByRunId: 'run' };
  const states: EventState[] = [
    { status: 'pending', attempt: 1 },
    { status: 'reserved', ...held },
    { status: 'consumed', ...held },
    { status: 'skipped', ...held },
  ];
  const events: EventTransition[] = [
    { type: 'reserve', runId: 'run' },
    { type: 'release', runId: 'run' },
    { type: 'consume', runId: 'run' },
    { type: 'skip' },
    { type: 'rerun' },
  ];
  const edges = edgesOf(states, events, transitionEvent, ({ status }) => status);
  expect(drawn('pending --> reserved')).toEqual(edges);
});

test('[DC-7] the diagram of an automation run has exactly the transitions of its machine', () => {
  const open = ['queued', 'enriching', 'ready', 'running'] as const;
  const reason = '';
  const stage = 'execute' as const;
  const states: AutomationRunState[] = [
    ...open.map((status) => ({ status })),
    { status: 'needs_human', reason },
    { status: 'succeeded', completionId: 'c' },
    { status: 'failed', stage, reason },
    { status: 'timed_out', stage, reason },
    { status: 'canceled', reason },
    { status: 'skipped', reason },
  ];
  const events: AutomationRunTransition[] = [
    { type: 'enrich' },
    { type: 'enriched' },
    { type: 'execute' },
    { type: 'need_human', reason },
    { type: 'go_on' },
    { type: 'complete', completionId: 'c' },
    { type: 'fail', stage, reason },
    { type: 'time_out', stage, reason },
    { type: 'cancel', reason },
    { type: 'skip', reason },
    { type: 'settle', as: 'succeeded', reason, completionId: 'c' },
    { type: 'settle', as: 'failed', reason, completionId: 'c' },
  ];
  const edges = edgesOf(states, events, transitionAutomationRun, ({ status }) => status);
  expect(drawn('queued --> enriching')).toEqual(edges);
});

test('[DC-7] the continuation tables are the table in the code', () => {
  const statuses: EffectStatus[] = ['none', ...MUTATION_STATUSES];
  const different: string[] = [];
  for (const reason of REASONS) {
    for (const position of POSITIONS) {
      for (const effect of statuses) {
        for (const isOurs of [true, false]) {
          const run = { position, effect, isOurs };
          const said = documented(run, reason);
          const done = continuationOf(run, reason);
          if (said !== done) {
            different.push(`${reason} ${position} ${effect} ${isOurs}: ${said}, not ${done}`);
          }
        }
      }
    }
  }
  expect(different).toEqual([]);
});

function diagram(kind: string, part = ''): string {
  const blocks = [...text.matchAll(/```mermaid\n([^`]+)```/g)].map(([, block]) => block ?? '');
  return blocks.find((block) => block.startsWith(kind) && block.includes(part)) ?? '';
}

/** The edges of a state diagram as "from event to"; a state that stands for several is expanded. */
function drawn(part: string): string[] {
  const block = diagram('stateDiagram-v2', part);
  const groups = new Map(
    [...block.matchAll(/state "([^"]+)" as (\w+)/g)].map(([, members = '', name = '']) => [
      name,
      members.split(/, | or /),
    ]),
  );
  const expand = (name: string): string[] => groups.get(name) ?? [name];
  const edges = [...block.matchAll(/^ *(\w+) --> (\w+): (\w+)$/gm)].flatMap(
    ([, from = '', to = '', event = '']) =>
      expand(from).flatMap((one) => expand(to).map((other) => `${one} ${event} ${other}`)),
  );
  return [...new Set(edges)].toSorted();
}

function edgesOf<State extends object, Event extends { type: string; as?: string }>(
  states: readonly State[],
  events: readonly Event[],
  transition: (state: State, event: Event) => State | Rejection,
  nameOf: (state: State) => string,
): string[] {
  const edges = states.flatMap((state) =>
    events.flatMap((event) => {
      const to = transition(state, event);
      if (isRejection(to)) return [];
      const label = event.type === 'resolve' ? event.as : event.type;
      return [`${nameOf(state)} ${label} ${nameOf(to)}`];
    }),
  );
  return [...new Set(edges)].toSorted();
}

/** The action that the page names for a run: from the table of positions, or from that of effects. */
function documented(run: FoundRun, reason: Reason): string {
  const cell = columnFor(tableWith('position').rows, 'position', run.position, reason);
  if (cell !== undefined && cell !== 'table below') return choose(cell, run, reason);
  // "settled" and "outcome_known" are in the table of effects only, for runs that have not ended.
  if (cell === undefined && run.position === 'ended') return 'wait';
  const prefix = run.position === 'at_effect' ? 'at_effect: ' : 'suspended: ';
  const rows = tableWith('effect').rows;
  const found =
    columnFor(rows, 'effect', run.effect, reason, prefix) ??
    columnFor(rows, 'effect', run.effect, reason);
  return choose(found ?? 'missing', run, reason);
}

function columnFor(
  rows: readonly { readonly [column: string]: string }[],
  key: string,
  value: string,
  reason: string,
  prefix = '',
): string | undefined {
  const row = rows.find((one) => one[key] === value) ?? {};
  const column = Object.keys(row).find(
    (name) => name.startsWith(prefix) && name.slice(prefix.length).split(', ').includes(reason),
  );
  return column === undefined ? undefined : row[column];
}

/** "a, b: action; else: action", or one action. */
function choose(cell: string, { effect, isOurs }: FoundRun, reason: Reason): string {
  for (const clause of cell.split('; ')) {
    const [condition = '', action] = clause.split(': ');
    if (action === undefined) return condition;
    const facts = [effect, reason, 'else', ...(isOurs ? ['ours'] : [])];
    if (condition.split(', ').some((one) => facts.includes(one))) return action;
  }
  return 'missing';
}

function tableWith(firstColumn: string): ReturnType<typeof tablesOf>[number] {
  const table = tablesOf(text).find(({ columns }) => columns[0] === firstColumn);
  if (!table) throw new Error(`ARCHITECTURE.md has no table that begins with "${firstColumn}".`);
  return table;
}
