// The files of a folder that this process has open, from /proc.
import { readdirSync, readlinkSync } from 'node:fs';

export function filesOpenIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}
