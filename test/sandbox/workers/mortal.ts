// A sandbox thread that exits or throws when the code contains a certain phrase.
import { parentPort } from 'node:worker_threads';
import '#main/sandbox/worker.ts';

parentPort?.on('message', ([message]: readonly [{ readonly code?: string }]) => {
  if (message.code?.includes('exit now')) process.exit(1);
  if (message.code?.includes('throw now')) throw new Error('struck');
});
