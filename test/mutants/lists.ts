// All mutants, by area, with the test files that notice them.
import { ARTIFACT_MUTANTS } from '#test/mutants/artifact-mutants.ts';
import { COST_MUTANTS } from '#test/mutants/cost-mutants.ts';
import { DOUBT_MUTANTS } from '#test/mutants/doubt-mutants.ts';
import { EXECUTION_MUTANTS } from '#test/mutants/execution-mutants.ts';
import { GAP_MUTANTS } from '#test/mutants/gap-mutants.ts';
import { INPUT_END_MUTANTS } from '#test/mutants/input-end-mutants.ts';
import { INPUT_MUTANTS } from '#test/mutants/input-mutants.ts';
import { INPUT_RECORD_MUTANTS } from '#test/mutants/input-record-mutants.ts';
import { ISOLATION_MUTANTS } from '#test/mutants/isolation-mutants.ts';
import { LEDGER_MUTANTS } from '#test/mutants/ledger-mutants.ts';
import type { MutantList } from '#test/mutants/mutant.ts';
import { NETWORK_MUTANTS } from '#test/mutants/network-mutants.ts';
import { RECOVERED_MUTANTS } from '#test/mutants/recovered-mutants.ts';
import { ROLLBACK_MUTANTS } from '#test/mutants/rollback-mutants.ts';
import { OFFLINE_MUTANTS } from '#test/mutants/offline-mutants.ts';
import { POWER_MUTANTS } from '#test/mutants/power-mutants.ts';
import { RUN_MUTANTS } from '#test/mutants/run-mutants.ts';
import { RUNNER_MUTANTS } from '#test/mutants/runner-mutants.ts';
import { SCHEDULE_MUTANTS } from '#test/mutants/schedule-mutants.ts';
import { schemaMutants } from '#test/mutants/schema-mutants.ts';
import { SIMULATION_MUTANTS } from '#test/mutants/simulation-mutants.ts';
import { SYNC_MUTANTS } from '#test/mutants/sync-mutants.ts';

export const LISTS: readonly MutantList[] = [
  {
    name: 'ledger',
    tests: [
      'test/mutants/ledger-gaps.test.ts',
      'test/store/commit-queue.test.ts',
      'test/store/database.test.ts',
      'test/store/table-cache.test.ts',
      'test/store/wal-fsync.test.ts',
      'test/engine/consumer.test.ts',
      'test/engine/failure.test.ts',
      'test/engine/recovery.test.ts',
      'test/engine/ownership.test.ts',
      'test/engine/resolve.test.ts',
    ],
    mutants: LEDGER_MUTANTS,
  },
  {
    name: 'recovered',
    tests: ['test/store/takeover-precedence.test.ts', 'test/engine/recovered-effects.test.ts'],
    mutants: RECOVERED_MUTANTS,
  },
  { name: 'doubt', tests: ['test/engine/doubt.test.ts'], mutants: DOUBT_MUTANTS },
  {
    name: 'run-contexts',
    tests: [
      'test/store/active-sessions.test.ts',
      'test/store/run-guard.test.ts',
      'test/store/run-log.test.ts',
      'test/store/run-log-merge.test.ts',
      'test/store/machines-agree.test.ts',
    ],
    mutants: RUN_MUTANTS,
  },
  {
    name: 'execution',
    tests: [
      'test/store/unique-rows.test.ts',
      'test/store/spec-schema.test.ts',
      'test/store/handler-runs.test.ts',
      'test/store/store-rows.test.ts',
      'test/engine/consumer.test.ts',
      'test/engine/ownership.test.ts',
    ],
    mutants: EXECUTION_MUTANTS,
  },
  {
    name: 'input-ends',
    tests: [
      'test/inputs/always-ends.test.ts',
      'test/inputs/leases.test.ts',
      'test/inputs/derive-input-status.test.ts',
      'test/shared/attention.test.ts',
    ],
    mutants: INPUT_END_MUTANTS,
  },
  {
    name: 'costs',
    tests: [
      'test/shared/cost.test.ts',
      'test/store/costs.test.ts',
      'test/engine/costs.test.ts',
      'test/tools/http/cost.test.ts',
      'test/tools/mail/cost.test.ts',
      'test/tools/runner-cost.test.ts',
    ],
    mutants: COST_MUTANTS,
  },
  {
    name: 'network',
    tests: [
      'test/shared/outside/host-gate.test.ts',
      'test/tools/egress/egress.test.ts',
      'test/tools/egress/address-range.test.ts',
      'test/tools/outside-hosts/outside-hosts.test.ts',
      'test/runner/network.test.ts',
      'test/runner/rest.test.ts',
    ],
    mutants: NETWORK_MUTANTS,
  },
  {
    name: 'offline',
    tests: [
      'test/shared/outside/circuit.test.ts',
      'test/shared/outside/host-gate.test.ts',
      'test/tools/outside-hosts/network-watch.test.ts',
    ],
    mutants: OFFLINE_MUTANTS,
  },
  {
    name: 'artifacts',
    tests: [
      'test/inputs/artifact-tools.test.ts',
      'test/inputs/policy.test.ts',
      'test/sync/session/artifacts.test.ts',
      'test/tools/narrow-grants.test.ts',
    ],
    mutants: ARTIFACT_MUTANTS,
  },
  {
    name: 'input-records',
    tests: [
      'test/host/run-log.test.ts',
      'test/inputs/effect-inputs.test.ts',
      'test/inputs/raw-payloads.test.ts',
      'test/upkeep/export.test.ts',
    ],
    mutants: INPUT_RECORD_MUTANTS,
  },
  {
    name: 'isolation',
    tests: ['test/isolation/isolation.test.ts'],
    mutants: ISOLATION_MUTANTS,
  },
  { name: 'power', tests: ['test/crash/power-cut.test.ts'], mutants: POWER_MUTANTS },
  { name: 'runner', tests: ['test/runner/executor.test.ts'], mutants: RUNNER_MUTANTS },
  { name: 'inputs', tests: ['test/inputs/transitions.test.ts'], mutants: INPUT_MUTANTS },
  {
    name: 'simulation',
    tests: ['test/simulation/check-finds.test.ts'],
    mutants: SIMULATION_MUTANTS,
  },
  { name: 'sync', tests: ['test/sync/changes/refusals.test.ts'], mutants: SYNC_MUTANTS },
  { name: 'schedules', tests: ['test/engine/producer.test.ts'], mutants: SCHEDULE_MUTANTS },
  { name: 'gaps', tests: ['test/inputs/always-ends.test.ts'], mutants: GAP_MUTANTS },
  { name: 'schema', tests: ['test/store/table-rules.test.ts'], mutants: schemaMutants() },
  {
    name: 'rollback',
    tests: [
      'test/shared/start-check.test.ts',
      'test/engine/start-gate.test.ts',
      'test/host/went-back.test.ts',
    ],
    mutants: ROLLBACK_MUTANTS,
  },
];
