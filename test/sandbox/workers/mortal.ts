// A sandbox thread that ends when it meets a certain word, as a broken one would.
import { parentPort } from 'node:worker_threads';
import '#main/sandbox/worker.ts';

parentPort?.on('message', ([message]: readonly [{ readonly code?: string }]) => {
  if (message.code?.includes('exit now')) process.exit(1);
  if (message.code?.includes('throw now')) throw new Error('struck');
});
