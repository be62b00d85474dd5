import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { continueFrom } from '#shared/sync/lineage.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function write(store: OpenStore, name: string): void {
  store.handlerState.set('w', name, null, 'run');
}

/** The file as a power cut or a restore would leave it. */
function copyOf(store: OpenStore): string {
  const path = join(tempFolder(), 'copy.db');
  store.db.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(store.path, path);
  return path;
}

describe('lineages', () => {
  it('[CS-10] reopening with a lineage that no peer knows replaces its id and adds no lineage', () => {
    const store = openStore();
    write(store, 'a');
    const again = openStore('device-a', copyOf(store));
    const [one, ...older] = again.lineages.announce();
    expect(older).toEqual([]);
    expect(one?.id).not.toBe(store.lineages.announce()[0]?.id);
  });

  it("[CS-10] a backup made before a lineage was announced doesn't reuse its id", () => {
    const store = openStore();
    const backup = copyOf(store);
    write(store, 'a');
    const peerHas = { lineage: store.lineages.announce()[0]?.id ?? '', version: 1 };
    const restored = openStore('device-a', backup);
    write(restored, 'b');
    write(restored, 'c');
    expect(continueFrom(peerHas, restored.lineages.announce())).toEqual({
      after: 0,
      rewound: true,
    });
  });

  it('[CS-10] each opening after an announcement starts a new lineage, and the old one keeps its end', () => {
    const first = openStore();
    write(first, 'a');
    const [one] = first.lineages.announce();
    write(first, 'b');
    const second = openStore('device-a', copyOf(first));
    write(second, 'c');
    expect(second.lineages.announce()).toEqual([
      { id: expect.not.stringMatching(one?.id ?? '') as string, end: 3 },
      { id: one?.id, end: 2 },
    ]);
  });

  it('[CS-10] a restored database detects that a peer has versions it lost and assigned again', () => {
    const store = openStore();
    write(store, 'a');
    const [announced] = store.lineages.announce();
    const backup = copyOf(store);
    for (const name of ['b', 'c', 'd']) write(store, name);
    const peerHas = { lineage: announced?.id ?? '', version: store.lineages.version() };
    expect(continueFrom(peerHas, store.lineages.announce())).toEqual({ after: 4, rewound: false });

    const restored = openStore('device-a', backup);
    expect(continueFrom(peerHas, restored.lineages.announce())).toEqual({
      after: 1,
      rewound: true,
    });
    for (const name of ['x', 'y', 'z', 'z2', 'z3']) write(restored, name);
    expect(restored.lineages.version()).toBeGreaterThan(peerHas.version);
    expect(continueFrom(peerHas, restored.lineages.announce())).toEqual({
      after: 1,
      rewound: true,
    });
  });

  it('[CS-10] only the newest lineage grows beyond its reported end', () => {
    const lineages = [
      { id: 'new', end: 9 },
      { id: 'old', end: 5 },
    ];
    const from = (lineage: string, version: number): unknown =>
      continueFrom({ lineage, version }, lineages);
    expect(from('new', 12)).toEqual({ after: 12, rewound: false });
    expect(from('old', 5)).toEqual({ after: 5, rewound: false });
    expect(from('old', 6)).toEqual({ after: 5, rewound: true });
    expect(from('gone', 3)).toEqual({ after: 0, rewound: true });
  });

  it('[CS-10] a new database has no lineage in common with the peer', () => {
    const store = openStore();
    write(store, 'a');
    const peerHas = { lineage: store.lineages.announce()[0]?.id ?? '', version: 1 };
    rmSync(copyOf(store));
    const fresh = openStore();
    write(fresh, 'b');
    expect(continueFrom(peerHas, fresh.lineages.announce())).toEqual({ after: 0, rewound: true });
    expect(continueFrom(null, fresh.lineages.announce())).toEqual({ after: 0, rewound: false });
  });
});
