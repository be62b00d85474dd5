import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { continueFrom } from '#shared/sync/lineage.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function write(store: OpenStore, name: string): void {
  store.handlerState.set('w', name, null, 'run');
}

/** The file as it would be found after a power cut or a restore. */
function copyOf(store: OpenStore): string {
  const path = join(tempFolder(), 'copy.db');
  store.db.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(store.path, path);
  return path;
}

describe('lineages', () => {
  it('[CS-10] openings that no peer heard of do not add up, but each has its own name', () => {
    const store = openStore();
    write(store, 'a');
    const again = openStore('device-a', copyOf(store));
    const [one, ...older] = again.lineages.tell();
    expect(older).toEqual([]);
    expect(one?.id).not.toBe(store.lineages.tell()[0]?.id);
  });

  it('[CS-10] a backup from before a lineage was told does not go on with its name', () => {
    const store = openStore();
    const backup = copyOf(store);
    write(store, 'a');
    const peerHas = { lineage: store.lineages.tell()[0]?.id ?? '', version: 1 };
    const restored = openStore('device-a', backup);
    write(restored, 'b');
    write(restored, 'c');
    expect(continueFrom(peerHas, restored.lineages.tell())).toEqual({ after: 0, rewound: true });
  });

  it('[CS-10] each opening after a peer was told begins a new one; the old keep their ends', () => {
    const first = openStore();
    write(first, 'a');
    const [one] = first.lineages.tell();
    write(first, 'b');
    const second = openStore('device-a', copyOf(first));
    write(second, 'c');
    expect(second.lineages.tell()).toEqual([
      { id: expect.not.stringMatching(one?.id ?? '') as string, end: 3 },
      { id: one?.id, end: 2 },
    ]);
  });

  it('[CS-10] versions that were told and lost are told apart from those given in their place', () => {
    const store = openStore();
    write(store, 'a');
    const [told] = store.lineages.tell();
    const backup = copyOf(store);
    for (const name of ['b', 'c', 'd']) write(store, name);
    const peerHas = { lineage: told?.id ?? '', version: store.lineages.version() };
    expect(continueFrom(peerHas, store.lineages.tell())).toEqual({ after: 4, rewound: false });

    const restored = openStore('device-a', backup);
    expect(continueFrom(peerHas, restored.lineages.tell())).toEqual({ after: 1, rewound: true });
    for (const name of ['x', 'y', 'z', 'z2', 'z3']) write(restored, name);
    expect(restored.lineages.version()).toBeGreaterThan(peerHas.version);
    expect(continueFrom(peerHas, restored.lineages.tell())).toEqual({ after: 1, rewound: true });
  });

  it('[CS-10] a database that was made anew shares nothing with what the peer knew', () => {
    const store = openStore();
    write(store, 'a');
    const peerHas = { lineage: store.lineages.tell()[0]?.id ?? '', version: 1 };
    rmSync(copyOf(store));
    const anew = openStore();
    write(anew, 'b');
    expect(continueFrom(peerHas, anew.lineages.tell())).toEqual({ after: 0, rewound: true });
    expect(continueFrom(null, anew.lineages.tell())).toEqual({ after: 0, rewound: false });
  });
});
