// Which process tree this system has.
import { createCgroups } from '#main/runner/cgroups.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import type { ProcessTree } from '#main/runner/process-tree.ts';
import { PsTree } from '#main/runner/ps-tree.ts';
import { TaskkillTree } from '#main/runner/taskkill-tree.ts';

export function createProcessTree(platform: NodeJS.Platform = process.platform): ProcessTree {
  if (platform === 'linux') return new LinuxTree(createCgroups());
  return platform === 'win32' ? new TaskkillTree() : new PsTree();
}
