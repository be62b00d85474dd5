import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#main/platform/package-root.ts';

export function appVersion(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
