// Artifacts that handlers and people attached to inputs. A row is written once, in the commit of the
// run that made it; its content was put on disk before. Rows of peers are validated when they are read.
import { Store } from '#main/store/store-context.ts';
import { artifactId } from '#shared/ids.ts';
import { artifactFactsSchema, type Artifact, type Maker } from '#shared/inputs/artifacts.ts';

export interface NewArtifact {
  readonly runId: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number | null;
  readonly sha256: string;
  readonly maker: Maker;
  /** The handler run or the request: together with run and name it identifies the artifact. */
  readonly cause: string;
  /** The device that has the content, if it isn't this one. */
  readonly deviceId?: string;
}

interface Row {
  id: string;
  facts: string;
}

export class ArtifactRowStore extends Store {
  /** Keeps the first row. Returns its id. */
  insert(artifact: NewArtifact): string {
    const { db, clock } = this.context;
    const { runId, name, type, bytes, sha256, maker, cause } = artifact;
    const id = artifactId(runId, name, cause);
    const facts = {
      run_id: runId,
      name,
      type,
      bytes,
      sha256,
      maker,
      cause,
      device_id: artifact.deviceId ?? this.context.deviceId,
      created_at: clock.now(),
    };
    db.writeOne(() => {
      const sql = 'INSERT INTO artifacts (id, facts) VALUES (?, ?) ON CONFLICT (id) DO NOTHING';
      const inserted = db.run(sql, id, JSON.stringify(facts));
      if (inserted === 1) db.changes.record('automation_runs', runId);
    });
    return id;
  }

  get(id: string): Artifact | undefined {
    const row = this.db.get<Row>('SELECT id, facts FROM artifacts WHERE id = ?', id);
    return row && toArtifact(row)[0];
  }

  /** Oldest first. */
  ofRun(runId: string, limit: number): Artifact[] {
    return this.db
      .all<Row>(
        'SELECT id, facts FROM artifacts WHERE run_id = ? ORDER BY created_at, id LIMIT ?',
        runId,
        limit,
      )
      .flatMap(toArtifact);
  }
}

/** None for a row of a peer that is not an artifact. */
function toArtifact({ id, facts }: Row): Artifact[] {
  const parsed = artifactFactsSchema.safeParse(JSON.parse(facts));
  if (!parsed.success) return [];
  const { run_id: runId, device_id: deviceId, created_at: createdAt, cause, ...rest } = parsed.data;
  const handlerRunId = rest.maker === 'handler' ? cause : null;
  return [{ id, runId, deviceId, createdAt, handlerRunId, ...rest }];
}
