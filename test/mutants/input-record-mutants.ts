// Mutants of what is recorded about inputs: side effects, raw payloads and the log (spec 004).
import type { Mutant } from '#test/mutants/mutant.ts';

const EFFECTS = 'src-main/store/tables/side-effects.ts';
const LIFECYCLE = 'src-main/input-lifecycle/input-lifecycle.ts';
const ARCHIVE = 'src-main/store/queries/archivable-inputs.ts';
const EFFECT_TABLES = 'migrations/0038_effect_inputs.sql';
const OLDER_ROWS = 'src-main/upkeep/older-rows.ts';
const RAW_TABLE = 'migrations/0039_raw_payloads.sql';
const RAW = 'src-main/store/tables/raw-payloads.ts';
const VAULT = 'src-main/inputs/raw-payload-vault.ts';
const LOG = 'src-main/input-lifecycle/input-log.ts';
const OBSERVATION = 'src-main/observe/observation.ts';
const CORRELATION = 'src-main/observe/correlation.ts';
const LEVEL = 'src-main/observe/log-level.ts';

export const INPUT_RECORD_MUTANTS: readonly Mutant[] = [
  {
    name: 'an effect is linked to its first input only',
    file: LIFECYCLE,
    find: 'runIds: inputs.map(automationRunId),',
    replace: 'runIds: inputs.slice(0, 1).map(automationRunId),',
  },
  {
    name: 'an input does not list effects that it shares',
    file: EFFECTS,
    find: 'WHERE r.run_id = ?\n',
    replace: "WHERE r.run_id = ? AND r.run_id = ''\n",
  },
  {
    name: 'an effect is known in its own organization only',
    file: EFFECTS,
    find: 'WHERE s.effect_id = ?\n       ORDER BY createdAt',
    replace: "WHERE s.effect_id = ? AND s.organization_id <> 'space-1'\n       ORDER BY createdAt",
  },
  {
    name: 'a link gets the organization of today',
    file: EFFECTS,
    find: 'if (known) return known.organizationId;',
    replace: 'if (known) return spaceId;',
  },
  {
    name: 'an effect names itself for every repeat in the feed',
    file: EFFECTS,
    find: 'if (runIds.length === 1) db.writeOne(() => this.#insert(effect));',
    replace:
      "if (runIds.length === 1) db.writeOne(() => { this.#insert(effect); db.changes.record('automation_side_effects', effectId); });",
  },
  {
    name: 'a shared effect is archived with its first input',
    file: ARCHIVE,
    find: 'if (this.#isServed(effectId)) continue;',
    replace: '',
  },
  {
    name: 'a shared effect is never archived',
    file: ARCHIVE,
    find: "let rows = archiveDelete(this.db, 'automation_side_effect_runs', 'run_id', runId);",
    replace: 'let rows = 0;',
  },
  {
    name: 'the side effect ledger is not asked for a known effect',
    file: 'src-main/engine/runs/effect-ledger.ts',
    find: 'if (recorded) {',
    replace: "if (recorded?.effectId === '') {",
  },
  {
    name: 'the migration lets the database version fall',
    file: EFFECT_TABLES,
    find: 'SELECT crsql_next_db_version();',
    replace: '',
  },
  {
    name: 'the migration forgets archived effects',
    file: EFFECT_TABLES,
    find: 'WHERE effect_id NOT IN (SELECT effect_id FROM effects_before_0038);',
    replace: 'WHERE false;',
  },
  {
    name: 'the migration links no other inputs of an event',
    file: EFFECT_TABLES,
    find: 'JOIN event_causes AS c ON c.event_id = r.event_id',
    replace: "JOIN event_causes AS c ON c.event_id = ''",
  },
  {
    name: 'the migration leaves the first input without a link',
    file: EFFECT_TABLES,
    find: 'WHERE EXISTS (SELECT 1 FROM automation_side_effect_runs AS r',
    replace: 'WHERE NOT EXISTS (SELECT 1 FROM automation_side_effect_runs AS r',
  },
  {
    name: 'a link can be deleted without archiving',
    file: EFFECT_TABLES,
    find: "BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effect_runs'); END;\n\nCREATE TRIGGER automation_side_effect_runs_archived",
    replace: 'BEGIN SELECT 1; END;\n\nCREATE TRIGGER automation_side_effect_runs_archived',
  },
  {
    name: 'an older export keeps its keys',
    file: OLDER_ROWS,
    find: 'schemaVersion >= ORGANIZATION_IN_KEY',
    replace: 'schemaVersion >= 1',
  },
  {
    name: 'a long organization is packed with a short length',
    file: OLDER_ROWS,
    find: 'const head = (even.length / 2) * 8 + 3;',
    replace: 'const head = 8 + 3;',
  },
  {
    name: 'a raw payload outlives its input',
    file: RAW_TABLE,
    find: 'BEGIN DELETE FROM raw_payloads WHERE input_id = OLD.id; END;',
    replace: 'BEGIN SELECT 1; END;',
  },
  {
    name: 'a raw payload is deleted a day late',
    file: RAW,
    find: 'clock.now() - days * DAY_MS',
    replace: 'clock.now() - (days + 1) * DAY_MS',
  },
  {
    name: 'choosing 0 keeps the raw payloads that are stored',
    file: RAW,
    find: 'days === 0 ? Number.MAX_SAFE_INTEGER :',
    replace: 'days === 0 ? 0 :',
  },
  {
    name: 'the newest raw payloads are deleted first',
    file: RAW,
    find: 'ORDER BY received_at LIMIT ?',
    replace: 'ORDER BY received_at DESC LIMIT ?',
  },
  {
    name: 'raw payloads are sealed while storing is off',
    file: VAULT,
    find: 'if (!this.#key || this.#options.store.days === 0) return null;',
    replace: 'if (!this.#key) return null;',
  },
  {
    name: 'a raw payload opens as that of another input',
    file: VAULT,
    find: 'decipher.setAAD(Buffer.from(inputId));',
    replace: "decipher.setAAD(Buffer.from('a'));",
  },
  {
    name: 'raw payloads are stored in plain text',
    file: VAULT,
    find: 'Buffer.concat([cipher.update(raw), cipher.final()])',
    replace: 'Buffer.concat([cipher.update(raw), cipher.final(), raw])',
  },
  {
    name: 'two raw payloads share a nonce',
    file: VAULT,
    find: 'const nonce = randomBytes(NONCE_BYTES);',
    replace: 'const nonce = Buffer.alloc(NONCE_BYTES);',
  },
  {
    name: 'a key that is not available is replaced',
    file: VAULT,
    find: 'if (!names.includes(KEY_NAME)) {',
    replace: 'if (names.length >= 0) {',
  },
  {
    name: 'a lost key looks like damage',
    file: VAULT,
    find: 'if (key?.id !== stored.keyId) throw keyLost();',
    replace: 'if (!key) throw keyLost();',
  },
  {
    name: 'a copied folder keeps the raw payloads',
    file: 'src-main/data-folder/data-folder.ts',
    find: "  'raw_payloads',\n",
    replace: '',
  },
  {
    name: 'a copied folder keeps the key of raw payloads',
    file: 'src-main/host/host.ts',
    find: 'Promise.all([deleteSpaceKey(secrets), deleteRawPayloadKey(secrets)])',
    replace: 'deleteSpaceKey(secrets)',
  },
  {
    name: 'a backup contains raw payloads',
    file: 'src-main/upkeep/backup-file.ts',
    find: 'DELETE FROM raw_payloads; ',
    replace: '',
  },
  {
    name: 'the answer with a raw payload is stored by its Idempotency-Key',
    file: 'src-main/api/transport/repeatable-calls.ts',
    find: "call !== 'inputs.raw'",
    replace: "call !== ''",
  },
  {
    name: 'the log names the organization of no space',
    file: LOG,
    find: 'organization_id: store.spaceId,',
    replace: 'space: store.spaceId,',
  },
  {
    name: 'the log forgets the session',
    file: LOG,
    find: 'session_id: run?.session?.id ?? null,',
    replace: 'session_id: null,',
  },
  {
    name: 'a rolled back transaction is in the log',
    file: LOG,
    find: 'changes.onRollback(() => (this.#lines = []));',
    replace: '',
  },
  {
    name: 'a rolled back part of a transaction is in the log',
    file: LOG,
    find: 'if (found && found.moves >= moves)',
    replace: 'if (moves >= 0 && (found ?? { ids: {} }))',
  },
  {
    name: 'a failed stage has no ids',
    file: 'src-main/inputs/dispatcher.ts',
    find: 'const fields = { ...ids, kind',
    replace: 'const fields = { run_id: row.runId, kind',
  },
  {
    name: 'good ends of runs are logged at debug',
    file: OBSERVATION,
    find: "return isOk && inputs.length === 0 ? 'debug' : 'info';",
    replace: "return isOk ? 'debug' : 'info';",
  },
  {
    name: 'a line about a shared run names one input',
    file: CORRELATION,
    find: 'inputs.length > 1 ?',
    replace: 'inputs.length > 1_000 ?',
  },
  {
    name: 'the log level takes effect with the next start',
    file: LEVEL,
    find: 'this.#settings.set(SETTING, { level });\n    this.#apply();',
    replace: 'this.#settings.set(SETTING, { level });',
  },
  {
    name: 'the setting of the log level counts more than the environment',
    file: LEVEL,
    find: 'this.#fromEnvironment ?? chosen.data?.level ??',
    replace: 'chosen.data?.level ?? this.#fromEnvironment ??',
  },
  {
    name: 'log lines are not masked',
    file: 'src-main/host/log.ts',
    find: 'file.write(masker.mask(line))',
    replace: 'file.write(line)',
  },
];
