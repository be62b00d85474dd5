// Sync against a raw exchange of the same changes: merging alone, a first sync between two processes
// over TLS on loopback, and settling on a device that is not the owner.
import { report } from './harness.ts';
import { mergeAlone } from './sync/merge-alone.ts';
import { firstSync } from './sync/first-sync.ts';
import { remoteSettle } from './sync/remote-settle.ts';

report('sync', [mergeAlone(), ...(await firstSync()), ...(await remoteSettle())]);
