// Files for workflows: reading and writing in granted folders only.
import { createAppend } from '#main/tools/files/append.ts';
import type { ExcludedFolders } from '#main/tools/files/directory.ts';
import { createMkdir } from '#main/tools/files/mkdir.ts';
import { createMove } from '#main/tools/files/move.ts';
import { filesGrant, narrowFiles, type FilesGrant } from '#main/tools/files/place.ts';
import { createFileReads } from '#main/tools/files/reads.ts';
import { createWrite } from '#main/tools/files/write.ts';
import type { Tool } from '#main/tools/tool.ts';

/** `excludedFolders`: folders excluded from every grant, such as the app's data folder. */
export function createFilesTool(excludedFolders: ExcludedFolders = []): Tool {
  return {
    namespace: 'files',
    isOfThisDevice: true,
    grant: filesGrant,
    describeGrant: (grant) => {
      const { folders, readOnly } = grant as FilesGrant;
      return `may read${readOnly ? '' : ' and write'} in ${folders.join(', ')}`;
    },
    narrow: narrowFiles,
    methods: {
      ...createFileReads(excludedFolders),
      write: createWrite(excludedFolders),
      move: createMove(excludedFolders),
      append: createAppend(excludedFolders),
      mkdir: createMkdir(excludedFolders),
    },
  };
}
