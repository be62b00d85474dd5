// Folders that scripts may work in, from the last registry read.
import { Store } from '#main/store/store-context.ts';

export interface RunnerRepo {
  readonly key: string;
  readonly title: string;
  readonly path: string;
}

export class RunnerRepoStore extends Store {
  listed(): RunnerRepo[] {
    return this.db.all<RunnerRepo>(
      'SELECT key, title, path FROM runner_repos WHERE is_listed = 1 ORDER BY key',
    );
  }

  /** Replaces the list. Removed repos stay as rows, because jobs refer to them. */
  replace(repos: readonly RunnerRepo[]): void {
    const { db, clock } = this.context;
    const sorted = repos.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    // Reading an unchanged registry must not write.
    if (JSON.stringify(sorted) === JSON.stringify(this.listed())) return;
    db.write(() => {
      db.run('UPDATE runner_repos SET is_listed = 0 WHERE is_listed = 1');
      for (const { key, title, path } of repos) {
        db.run(
          `INSERT INTO runner_repos (key, title, path, is_listed, updated_at) VALUES (?, ?, ?, 1, ?)
           ON CONFLICT (key) DO UPDATE SET title = excluded.title, path = excluded.path,
             is_listed = 1, updated_at = excluded.updated_at`,
          key,
          title,
          path,
          clock.now(),
        );
      }
    });
  }
}
