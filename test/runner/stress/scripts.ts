// Scripts that succeed, fail, hang and resist. Each records its start, so a second run is detected.
import type { TestScripts } from '#test/support/runner-files.ts';

const BEGIN = 'echo "$HOLDFAST_RUNNER_JOB" >> began.txt\n';
const LINES = 'n=0; while [ $n -lt 40 ]; do n=$((n+1)); echo "line $n €"; done; echo END';

export const STRESS_SCRIPTS: TestScripts = {
  quick: { sh: `${BEGIN}${LINES}` },
  both: { sh: `${BEGIN}${LINES}; echo problem >&2` },
  failing: { sh: `${BEGIN}${LINES}; exit 3` },
  flood: { sh: `${BEGIN}yes '€ flood' | head -c 300000; echo; echo END`, maxLogBytes: 100_000 },
  slow: { sh: `${BEGIN}echo up; sleep 0.4; ${LINES}` },
  late: { sh: `${BEGIN}echo up; sleep 300`, timeoutSeconds: 0.5, graceSeconds: 0.2 },
  stubborn: {
    sh: `${BEGIN}trap '' TERM; echo up; while :; do sleep 0.1; done`,
    timeoutSeconds: 0.6,
    graceSeconds: 0.2,
  },
  daemon: {
    sh: `${BEGIN}(setsid sleep 300 </dev/null >/dev/null 2>&1 &) ; setsid sleep 300 & sleep 0.1; ${LINES}`,
    graceSeconds: 0.3,
  },
};

/** Scripts with a deterministic log. */
export const WHOLE_OUTPUT =
  Array.from({ length: 40 }, (_, n) => `line ${n + 1} €\n`).join('') + 'END\n';
