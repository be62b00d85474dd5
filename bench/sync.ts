// Syncing against the raw exchange of the same changes: merging alone, and a first sync between two
// processes over TLS on loopback.
import { report } from './harness.ts';
import { mergeAlone } from './sync/merge-alone.ts';
import { firstSync } from './sync/first-sync.ts';
import { remoteSettle } from './sync/remote-settle.ts';

report('sync', [mergeAlone(), ...(await firstSync()), ...(await remoteSettle())]);
