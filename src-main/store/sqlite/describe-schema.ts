// The schema of a database as Markdown, for people.
import type { Database } from '#main/store/sqlite/database.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  /** 2 and 3: generated. */
  readonly hidden: number;
}

export function syncedTables(db: Database): string[] {
  return db
    .all<{ name: string }>(
      `SELECT replace(name, '__crsql_clock', '') AS name FROM sqlite_schema
       WHERE type = 'table' AND name LIKE '%\\_\\_crsql\\_clock' ESCAPE '\\' ORDER BY name`,
    )
    .map(({ name }) => name);
}

export function describeSchema(db: Database): string {
  const synced = syncedTables(db);
  const tables = db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table'
         AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%crsql%' ORDER BY name`,
    )
    .map(({ name }) => name);
  const head = `# Schema ${String(db.pragma('user_version'))}

Made by \`npm run schema\` from the migrations in this folder; do not edit. Synced tables are merged between devices column by column; local ones never leave the device.
`;
  return [head, ...tables.map((table) => describeTable(db, table, synced.includes(table)))].join(
    '\n',
  );
}

function describeTable(db: Database, table: string, isSynced: boolean): string {
  const columns = db.all<Column>('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)', table);
  const rows = columns.map(
    ({ name, type, pk, hidden }) => `| \`${name}\` | ${type} | ${roleOf(pk, hidden)} |`,
  );
  const named = (type: 'index' | 'trigger'): string[] =>
    db
      .all<{ name: string; sql: string }>(
        `SELECT name, sql FROM sqlite_schema WHERE type = ? AND tbl_name = ? AND sql IS NOT NULL
           AND name NOT LIKE '%crsql%' ORDER BY name`,
        type,
        table,
      )
      .map(({ name, sql }) =>
        type === 'index'
          ? `\`${name}\` ${sql.slice(sql.indexOf('(')).replaceAll(/\s+/g, ' ')}`
          : `\`${name}\``,
      );
  const list = (title: string, names: string[]): string[] =>
    names.length === 0 ? [] : ['', `${title}:`, '', ...names.map((name) => `- ${name}`)];
  return [
    `## ${table} (${isSynced ? 'synced' : 'local'})`,
    '',
    '| column | type | |',
    '| --- | --- | --- |',
    ...rows,
    ...list('Indexes', named('index')),
    ...list('Rules', named('trigger')),
    '',
  ].join('\n');
}

function roleOf(pk: number, hidden: number): string {
  if (pk > 0) return 'key';
  return hidden >= 2 ? 'generated' : 'stored';
}
