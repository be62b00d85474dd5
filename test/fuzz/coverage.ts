// Which blocks of our own code have run, told by V8 itself.
import { Session, type Profiler } from 'node:inspector';

export interface Coverage {
  /**
   * What ran since the last call, block by block, and how often. V8 names a block only where it
   * differs from what is around it: so one that did not run tells how far the code came.
   */
  take(): Set<string>;
  stop(): void;
}

/** Of the files whose address contains one of `places`. */
export function watchCoverage(places: readonly string[]): Coverage {
  const inspector = new Session();
  inspector.connect();
  inspector.post('Profiler.enable');
  inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take() {
      const blocks = new Set<string>();
      for (const { url, functions } of takeAll(inspector)) {
        if (!places.some((place) => url.includes(place))) continue;
        for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
          blocks.add(`${url}:${startOffset}:${endOffset}:${magnitude(count)}`);
        }
      }
      return blocks;
    },
    stop() {
      inspector.post('Profiler.stopPreciseCoverage');
      inspector.disconnect();
    },
  };
}

function takeAll(inspector: Session): readonly Profiler.ScriptCoverage[] {
  let taken: readonly Profiler.ScriptCoverage[] = [];
  // Within one process the answer comes before `post` returns.
  inspector.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    taken = result;
  });
  return taken;
}

/** Never, once, a few times, often: another number of rounds is news, each single one is not. */
function magnitude(count: number): number {
  return count === 0 ? -1 : Math.floor(Math.log2(count));
}
