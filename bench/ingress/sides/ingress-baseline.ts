// The baseline: a bare `node:http` server that writes the same rows with plain statements. Webhooks
// that arrive together share a transaction, as in the host, and are on disk before the answer.
import { createHash, hash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serveSide } from '../../engine/side.ts';
import { tempFolderUntilExit } from '../../engine/temp-folder-until-exit.ts';
import { groupCommit } from '../../store/group-commit.ts';
import { closeBaseline, openBaseline } from '../../store/both-sides.ts';
import { SECRET } from '../webhook-body.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';

export interface BaselineAnswers {
  readonly address: { readonly port: number; readonly path: string };
  readonly counts: { readonly inputs: number; readonly runs: number };
}

const PATH = '/hooks/bench';
const databasePath = join(tempFolderUntilExit('ingress-baseline'), 'baseline.db');
migrateFile(databasePath);
const sqlite = openBaseline(databasePath);
const inGroup = groupCommit(sqlite);
const statement = (sql: string) => sqlite.prepare<unknown[]>(sql);
const insertInput = statement(
  `INSERT INTO trigger_events (id, facts, raw_payload) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`,
);
const insertRun = statement('INSERT INTO automation_runs (id, facts, progress) VALUES (?, ?, ?)');
const insertWork = statement(
  `INSERT INTO outbox (organization_id, run_id, kind, payload, available_at, created_at)
   VALUES (?, ?, 'enqueue_enrich', ?, ?, ?)`,
);
const count = statement(
  'UPDATE hooks SET accepted = accepted + 1, last_accepted_at = ? WHERE id = ?',
);
statement(
  `INSERT INTO hooks (id, name, workflow_id, topic, auth, dedup, request_id, created_at)
   VALUES ('bench', 'bench', 'w', 'in', '{}', '{}', 'bench', 0)`,
).run();

const token = Buffer.from(`Bearer ${SECRET}`);
const idOf = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts)).slice(0, 32);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const isKnown = given.length === token.length && timingSafeEqual(given, token);
    if (!isKnown) {
      response.writeHead(401).end('{}');
      return;
    }
    void accept(Buffer.concat(chunks)).then((answer) => {
      const body = JSON.stringify(answer);
      response.writeHead(202, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
});

async function accept(raw: Buffer): Promise<object> {
  const text = raw.toString();
  const { n, type } = JSON.parse(text) as { n: number; type: string };
  const key = `path:=${n}`;
  const id = idOf('trigger_event', 'w', 'bench', key);
  const runId = idOf('automation_run', id);
  const now = Date.now();
  const facts = {
    organization_id: 'space-1',
    workflow_id: 'w',
    kind: 'webhook',
    trigger_id: 'bench',
    dedup_key: key,
    source: 'bench',
    type,
    external_id: key,
    title: `bench: ${type} ${key}`,
    topic: 'in',
    correlation_id: id,
    bytes: raw.length,
    sha256: createHash('sha256').update(raw).digest('hex'),
    device_id: 'device-a',
    created_at: now,
  };
  const runFacts = {
    organization_id: 'space-1',
    automation_id: 'w',
    trigger_event_id: id,
    trigger_id: 'bench',
    kind: 'webhook',
    source: 'bench',
    queued_at: now,
    deadline_at: now + 604_800_000,
  };
  const progress = { status: 'queued', moves: 0, last_activity_at: now };
  await inGroup(() => {
    if (insertInput.run(id, JSON.stringify(facts), text).changes !== 1) return;
    insertRun.run(runId, JSON.stringify(runFacts), JSON.stringify(progress));
    insertWork.run('space-1', runId, JSON.stringify({ run_id: runId }), now, now);
    count.run(now, 'bench');
  }, true);
  return { id, run_id: runId, status: 'accepted' };
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const rows = (table: string): number =>
    (statement(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  serveSide(
    {
      address: () => ({ port, path: PATH }),
      counts: () => ({ inputs: rows('trigger_events'), runs: rows('automation_runs') }),
    },
    () => {
      server.close();
      server.closeAllConnections();
      closeBaseline(sqlite);
    },
  );
});
