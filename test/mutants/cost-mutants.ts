// Mutants of costs: each counts too much, too little, or in the wrong place.
import type { Mutant } from '#test/mutants/mutant.ts';

const AMOUNTS = 'src-shared/cost.ts';
const CALL_COST = 'src-main/tools/call-cost.ts';
const CALL_TOOL = 'src-main/tools/call-tool.ts';
const HTTP_COST = 'src-main/tools/http/cost.ts';
const CLASSIFY = 'src-main/tools/http/classify.ts';
const SCRIPT_COST = 'src-main/tools/runner/cost.ts';
const CONSUMER = 'src-main/engine/runs/consumer-run.ts';
const PRODUCER = 'src-main/engine/runs/producer-run.ts';
const FAILURE = 'src-main/engine/runs/failure.ts';
const LEDGER = 'src-main/engine/runs/effect-ledger.ts';
const EFFECTS = 'src-main/engine/runs/effects.ts';
const RUN_ROW = 'src-main/store/tables/handler-run-row.ts';
const MUTATION_ROW = 'src-main/store/tables/mutation-row.ts';
const SUMS = 'src-main/store/tables/workflow-costs.ts';
const CHAIN = 'src-main/store/queries/input-chain.ts';
const MIGRATION = 'migrations/0036_costs.sql';

export const COST_MUTANTS: readonly Mutant[] = [
  {
    name: 'amounts are rounded down',
    file: AMOUNTS,
    find: '(sum * 2n + unit) / (unit * 2n)',
    replace: 'sum / unit',
  },
  {
    name: 'a cost has no upper limit',
    file: AMOUNTS,
    find: 'rounded <= BigInt(MAX_CALL_COST) ? Number(rounded) : null',
    replace: 'Number(rounded)',
  },
  {
    name: 'an absurd cost of a tool counts',
    file: CALL_COST,
    find: 'if (!isCost(microdollars) || microdollars > MAX_CALL_COST) {',
    replace: 'if (microdollars > MAX_CALL_COST) {',
  },
  {
    name: 'an effect without a reply costs nothing',
    file: CALL_TOOL,
    find: "return outcome.type === 'ambiguous' ? spentOn(call, checked, null, host) : {};",
    replace: 'return {};',
  },
  {
    name: 'a refused effect costs',
    file: CALL_TOOL,
    find: "return outcome.type === 'ambiguous' ? spentOn(call, checked, null, host) : {};",
    replace: 'return spentOn(call, checked, null, host);',
  },
  {
    name: 'a refused read costs',
    file: CALL_TOOL,
    find: 'outcome.isUncertain ? spentOn(call, checked, null, host) : {}',
    replace: 'spentOn(call, checked, null, host)',
  },
  {
    name: 'a lost read costs nothing',
    file: CLASSIFY,
    find: "sent.type === 'lost' ? { ...failure, isUncertain: true } : failure",
    replace: 'failure',
  },
  {
    name: 'a part without an amount is not reported',
    file: HTTP_COST,
    find: 'if (problems.length === 0) return { microdollars };',
    replace: 'if (problems.length >= 0) return { microdollars };',
  },
  {
    name: 'the price per unit is ignored',
    file: HTTP_COST,
    find: '{ value, usd: part.usd ?? 1 }',
    replace: '{ value, usd: 1 }',
  },
  {
    name: 'the first report of a script counts',
    file: SCRIPT_COST,
    find: '.at(-1)?.[1]',
    replace: '.at(0)?.[1]',
  },
  {
    name: 'only the reads of the last prepare count',
    file: CONSUMER,
    find: 'this.#cost += phase.calls.cost;',
    replace: 'this.#cost = phase.calls.cost;',
  },
  {
    name: 'the checkpoint of a shown run forgets its reads',
    file: CONSUMER,
    find: 'stores.handlerRuns.checkpoint(row.id, prepareResult, this.#cost)',
    replace: 'stores.handlerRuns.checkpoint(row.id, prepareResult)',
  },
  {
    name: 'a run that fails after its checkpoint counts its reads twice',
    file: CONSUMER,
    find: "probe('prepare:after');\n      this.#cost = 0;",
    replace: "probe('prepare:after');",
  },
  {
    name: 'a run that fails in prepare forgets its reads',
    file: CONSUMER,
    find: 'handleFailure(this.#context, run, { ...failure, cost }, suspects)',
    replace: 'handleFailure(this.#context, run, failure, suspects)',
  },
  {
    name: 'a check forgets the log of before',
    file: CONSUMER,
    find: 'this.#logs = [...(run.logs as unknown as LogLine[])];',
    replace: '',
  },
  {
    name: 'a failed producer forgets its reads',
    file: PRODUCER,
    find: 'return fail({ ...phase, cost });',
    replace: 'return fail(phase);',
  },
  {
    name: 'a committed producer forgets its reads',
    file: PRODUCER,
    find: '      at,\n      cost,\n',
    replace: '      at,\n',
  },
  {
    name: 'a suspended run forgets its reads',
    file: FAILURE,
    find: "{ type: 'suspend', reason: 'approval', error, cost } as const",
    replace: "{ type: 'suspend', reason: 'approval', error } as const",
  },
  {
    name: 'the run forgets what its effect cost',
    file: LEDGER,
    find: "const settle = { type: 'settle', cost } as const;",
    replace: "const settle = { type: 'settle' } as const;",
  },
  {
    name: 'the ledger forgets what an effect cost',
    file: LEDGER,
    find: "{ type: 'apply', result, cost }",
    replace: "{ type: 'apply', result }",
  },
  {
    name: 'a second lost reply costs nothing',
    file: LEDGER,
    find: "if (state?.phase === 'suspended' && cost > 0) {",
    replace: "if (state?.phase === 'suspended' && cost < 0) {",
  },
  {
    name: 'an unknown outcome is not in the cost of its run',
    file: LEDGER,
    find: 'this.#suspend(run, error, side, cost);',
    replace: 'this.#suspend(run, error, side);',
  },
  {
    name: 'a check counts an effect again',
    file: LEDGER,
    find: 'this.isCounted(run) ? 0 : outcome.cost',
    replace: 'outcome.cost',
  },
  {
    name: 'a check after a crash counts nothing',
    file: LEDGER,
    find: 'this.isCounted(run) ? 0 : outcome.cost',
    replace: '0',
  },
  {
    name: 'a check tells the metrics again',
    file: EFFECTS,
    find: "if (outcome.type !== 'happened' || this.#ledger.isCounted(run)) {",
    replace: "if (outcome.type !== 'happened') {",
  },
  {
    name: 'an effect is not in the metrics',
    file: EFFECTS,
    find: "this.#context.probe('send:after');\n    this.#observeCost(effect, outcome);",
    replace: "this.#context.probe('send:after');",
  },
  {
    name: 'a phase without a cost forgets the earlier ones',
    file: RUN_ROW,
    find: '...costOf((own?.cost ?? 0) + spent)',
    replace: '...costOf(spent)',
  },
  {
    name: 'a later owner counts what the maker spent as its own',
    file: RUN_ROW,
    find: "const own = side === 'maker' ? row.progress : parseJson<Takeover>(row.takeover);",
    replace: 'const own = row.progress;',
  },
  {
    name: 'an effect sent again forgets the first send',
    file: MUTATION_ROW,
    find: 'outcomeText(to, updatedAt, spent + cost);',
    replace: 'outcomeText(to, updatedAt, cost);',
  },
  {
    name: 'today begins an hour late',
    file: SUMS,
    find: 'setHours(0, 0, 0, 0)',
    replace: 'setHours(1, 0, 0, 0)',
  },
  {
    name: 'runs that failed before they took an event cost their input nothing',
    file: CHAIN,
    find: 'WHERE caused_by = ? AND cost > 0)`',
    replace: "WHERE caused_by = ? AND caused_by = '' AND cost > 0)`",
  },
  {
    name: 'the cost of a run is that of the side that counts',
    file: MIGRATION,
    find: "+ max(0, min(1000000000000, CAST(coalesce(takeover ->> 'cost', 0) AS INTEGER)))",
    replace: '',
  },
  {
    name: 'the sums ignore facts that come after the cost',
    file: MIGRATION,
    find: ' OR (NEW.cost > 0 AND NEW.facts <> OLD.facts)',
    replace: '',
  },
  {
    name: 'the sums keep archived runs',
    file: MIGRATION,
    find: 'UPDATE workflow_costs SET cost = cost - OLD.cost',
    replace: 'UPDATE workflow_costs SET cost = cost',
  },
  {
    name: 'the sums begin without the runs of before',
    file: MIGRATION,
    find: 'SELECT workflow_id, -1, sum(cost) FROM handler_runs\n  WHERE cost > 0',
    replace: 'SELECT workflow_id, -1, sum(cost) FROM handler_runs\n  WHERE cost < 0',
  },
];
