// Block coverage of our own code, measured by V8.
import { Session, type Profiler } from 'node:inspector';

export interface Coverage {
  /**
   * The blocks that ran since the last call, with the magnitude of their counts. V8 lists a block only
   * if its count differs from the surrounding block, so blocks with count zero matter as well.
   */
  take(): Set<string>;
}

/**
 * One session for the whole process: V8 drops the block counters of compiled functions when coverage
 * stops, and does not create them again.
 */
let session: Session | undefined;

/** Covers the files whose URL contains one of `paths`. */
export function startCoverage(paths: readonly string[]): Coverage {
  const inspector = (session ??= openSession());
  // Discards the counts of earlier runs.
  takeAll(inspector);
  return {
    take() {
      const blocks = new Set<string>();
      for (const { url, functions } of takeAll(inspector)) {
        if (!paths.some((path) => url.includes(path))) continue;
        for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
          blocks.add(`${url}:${startOffset}:${endOffset}:${magnitude(count)}`);
        }
      }
      return blocks;
    },
  };
}

function openSession(): Session {
  const opened = new Session();
  opened.connect();
  opened.post('Profiler.enable');
  opened.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return opened;
}

function takeAll(inspector: Session): readonly Profiler.ScriptCoverage[] {
  let taken: readonly Profiler.ScriptCoverage[] = [];
  // A session of the same process calls back before `post` returns.
  inspector.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    taken = result;
  });
  return taken;
}

/** Groups counts by powers of two, so that not every new loop count is new coverage. */
function magnitude(count: number): number {
  return count === 0 ? -1 : Math.floor(Math.log2(count));
}
