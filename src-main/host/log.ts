// The host's log: one JSON line an entry, into the data folder or onto stderr. What a person is
// told goes to the screen; this is for whoever looks into it afterwards.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { destination, pino, type Logger } from 'pino';

export function createLog(dataDir: string): Logger {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = destination({ dest: join(folder, 'host.log'), mode: 0o600, sync: true });
  return pino({ base: { pid: process.pid } }, file);
}

export function createSilentLog(): Logger {
  return pino({ level: 'silent' });
}
