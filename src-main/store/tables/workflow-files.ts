// The file on this device that a workflow was read from. The file is authoritative and watched.
import { Store } from '#main/store/store-context.ts';

export interface WorkflowFile {
  readonly workflowId: string;
  readonly path: string;
}

export class WorkflowFileStore extends Store {
  list(): WorkflowFile[] {
    return this.db.all<WorkflowFile>(
      'SELECT workflow_id AS workflowId, path FROM workflow_files ORDER BY path',
    );
  }

  ofPath(path: string): string | undefined {
    return this.db.value<string>('SELECT workflow_id FROM workflow_files WHERE path = ?', path);
  }

  ofWorkflow(workflowId: string): string | undefined {
    return this.db.value<string>(
      'SELECT path FROM workflow_files WHERE workflow_id = ?',
      workflowId,
    );
  }

  set(workflowId: string, path: string): void {
    const { db, clock } = this.context;
    db.write(() =>
      db.run(
        `INSERT INTO workflow_files (workflow_id, path, added_at) VALUES (?, ?, ?)
         ON CONFLICT (workflow_id) DO UPDATE SET path = excluded.path`,
        workflowId,
        path,
        clock.now(),
      ),
    );
  }
}
