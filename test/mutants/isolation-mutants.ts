// Mutants of isolation: each lets one bad row stop more than it should, or act although it can't be read.
import type { Mutant } from '#test/mutants/mutant.ts';

const CHECK = 'src-main/sync/changes/check-merged-rows.ts';
const CHECK_ROW = 'src-main/store/check-row.ts';
const REFUSED_SET = 'src-main/store/sqlite/refused-set.ts';
const ISOLATION = 'src-main/engine/isolation.ts';
const DECISIONS = 'src-main/engine/decisions/decisions.ts';
const RESOLUTION = 'src-main/engine/decisions/carry-out-resolution.ts';
const AFTER_MERGE = 'src-main/engine/ownership/after-merge.ts';
const LANE = 'src-main/engine/lane/lane.ts';

export const ISOLATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'what was merged while a workflow was held is forgotten at the next start',
    file: 'src-main/engine/ownership/merge-follower.ts',
    find: 'this.#held = held;',
    replace: 'void held;',
  },
  {
    name: 'what was merged while a workflow was held is not taken up after its wait',
    file: 'src-main/engine/continuation/finalizer.ts',
    find: 'again.includes(workflowId) ? catchUp : recover',
    replace: 'again.length < 0 ? catchUp : recover',
  },
  {
    name: 'a value of another shape is not noticed',
    file: CHECK,
    find: 'if (!change.isReadable) return true;',
    replace: '',
  },
  {
    name: 'a row that can be read again stays refused',
    file: CHECK,
    find: 'if (isAnyRefused || isSuspicious',
    replace: 'if (isSuspicious',
  },
  {
    name: 'a row without facts is not noticed',
    file: CHECK_ROW,
    find: "if (row['facts'] === '{}' && hasMoreThanFacts(table, row)) {",
    replace: 'if (hasMoreThanFacts(table, {})) {',
  },
  {
    name: 'a refused row is still read',
    file: REFUSED_SET,
    find: 'if (reason !== undefined) throw new UnreadableRow(table, id, reason);',
    replace: '',
  },
  {
    name: 'a workflow that failed is retried at once',
    file: ISOLATION,
    find: 'notBefore <= now && this.#isFailed(workflowId)',
    replace: 'notBefore > 0 && this.#isFailed(workflowId)',
  },
  {
    name: 'a held workflow is worked on',
    file: ISOLATION,
    find: 'if (this.holds(workflowId)) return false;',
    replace: '',
  },
  {
    name: 'a decision that fails stops the start',
    file: DECISIONS,
    find: "isolation.ofRow('resolutions', id, workflowId, () => this.#carryOutResolution(row));",
    replace: 'this.#carryOutResolution(row); void id; void workflowId; void isolation;',
  },
  {
    name: 'a decision about a run that has ended is carried out',
    file: RESOLUTION,
    find: 'if (hasGoneOn(run, resolution)) {',
    replace: 'if (hasGoneOn(run, resolution) && run.id === "") {',
  },
  {
    name: 'a row that fails drops the rest of the merge',
    file: AFTER_MERGE,
    find: 'return processApart(context);',
    replace: 'throw error;',
  },
  {
    name: 'the lane of a held workflow runs',
    file: LANE,
    find: 'if (this.#context.isolation.holds(this.workflowId)) return this.#session.discard();',
    replace: '',
  },
  {
    name: 'a lane retries a row that can not be read',
    file: LANE,
    find: '!(error instanceof UnreadableRow)',
    replace: 'true',
  },
  {
    name: 'an event that arrived in part holds its workflow',
    file: AFTER_MERGE,
    find: 'if (arrived.isComplete) stores.events.repair(id);',
    replace: 'if (arrived.isComplete || !arrived.isComplete) stores.events.repair(id);',
  },
  {
    name: 'an event that arrived in part is forgotten',
    file: 'src-main/engine/ownership/merge-follower.ts',
    find: 'this.#incomplete.push(...incomplete);',
    replace: 'void incomplete;',
  },
  {
    name: 'a decision about a held workflow is carried out',
    file: DECISIONS,
    find: 'return !context.isolation.holds(workflowId) && ownership.owns(workflowId);',
    replace: 'return ownership.owns(workflowId);',
  },
  {
    name: 'merged decisions that the disk refused wait for the next start',
    file: DECISIONS,
    find: "'could not carry out decisions; retrying');\n      this.#retry(workflowId);",
    replace: "'could not carry out decisions; retrying');",
  },
  {
    name: 'a failed fsync counts as a fault of the row',
    file: 'src-main/store/sqlite/sqlite-errors.ts',
    find: 'isIo || isFileError(error)',
    replace: 'isIo || (isFileError(error) && isIo)',
  },
  {
    name: 'a peer that writes with our id sets the time of our next record',
    file: 'src-main/store/tables/run-log.ts',
    find: 'AND at > @now AND ${IS_WRITTEN_HERE})',
    replace: 'AND at > @now)',
  },
  {
    name: 'an archived row with any content stops the archiving',
    file: 'src-main/upkeep/archive-file.ts',
    find: '    .filter(isJsonObject);',
    replace: '    .map((part) => part as { readonly [name: string]: Json });',
  },
  {
    name: 'a source without text stops an export',
    file: 'src-main/upkeep/export.ts',
    find: "     WHERE typeof(workflows.name) = 'text' AND typeof(scripts.code) = 'text' ORDER",
    replace: '     ORDER',
  },
  {
    name: 'sources whose ids begin alike stop an export',
    file: 'src-main/upkeep/export.ts',
    find: 'Object.hasOwn(files, file) ?',
    replace: "Object.hasOwn(files, 'none') ?",
  },
];
