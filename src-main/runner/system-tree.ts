// Chooses the process tree of this platform.
import { createCgroups } from '#main/runner/cgroups.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import type { ProcessTree } from '#main/runner/process-tree.ts';
import { PsTree } from '#main/runner/ps-tree.ts';
import { TaskkillTree } from '#main/runner/taskkill-tree.ts';

/** `usesCgroups` has no effect where cgroups are not available. */
export function createProcessTree(
  usesCgroups: boolean,
  platform: NodeJS.Platform = process.platform,
): ProcessTree {
  if (platform === 'linux') return new LinuxTree(usesCgroups ? createCgroups() : null);
  return platform === 'win32' ? new TaskkillTree() : new PsTree();
}
