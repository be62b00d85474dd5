// The plans of the matrix. Each situation is rehearsed without its last kill to learn which points it
// passes, and then run once per point with a kill there.
import type {
  AnswerRule,
  Cell,
  EffectKind,
  KillPoint,
  PassedPoints,
} from '#test/crash/matrix/cell.ts';

export interface Plan {
  readonly situation: Cell;
  /** The last kill of each cell, chosen from the points that the rehearsals passed. */
  readonly killsAt: (points: PassedPoints) => readonly KillPoint[];
}

const AROUND_THE_EFFECT = ['in_flight', 'send', 'outcome'];
const ENGINE_STEP = /^(?:execute|prepare|in_flight|send|outcome|commit|reconcile)/;
const STAGE_STEP = /^(?:ingress|enrich|execute_input|completion):/;
const RECONCILING: readonly EffectKind[] = ['http.post+reconcile', 'http.put+reconcile'];
const FILES: readonly EffectKind[] = ['files.write', 'files.append', 'files.move'];

export function plans(): Plan[] {
  return [
    ...everyStep(),
    ...everyStageOfAnInput(),
    ...aroundEachEffect(),
    ...insideFileTools(),
    ...outsideMoments(),
    ...lateEffects(),
    ...lostAnswers(),
    ...crashesInRecovery(),
    ...otherResolutions(),
  ];
}

/** One tool in full: each step of the producer and the consumers, and each commit. */
function everyStep(): Plan[] {
  const everyCommit = (points: PassedPoints): KillPoint[] => commits(points, 1);
  return [
    {
      situation: plain('http.post'),
      killsAt: (points) => [...steps(points), ...everyCommit(points)],
    },
    // A question has no steps around its effect, so its commits are used.
    {
      situation: plain('ask'),
      killsAt: (points) => [
        ...steps(points, /^prepare|^commit/, 2),
        ...commitsFrom(points, 'prepare:after#1'),
      ],
    },
  ];
}

/** Each boundary of ingress and stages, each commit, and the effect at the end. */
function everyStageOfAnInput(): Plan[] {
  const situation = plain('webhook>http.post');
  const again = (point: string): Plan => ({
    situation: { ...situation, kills: [{ point, nth: 1 }] },
    killsAt: (points) => steps(points, STAGE_STEP, 1),
  });
  return [
    {
      situation,
      killsAt: (points) => [
        ...steps(points, STAGE_STEP),
        ...commits(points, 1),
        ...['outside:received', 'outside:acted'].flatMap(twice),
      ],
    },
    ...['ingress:after', 'enrich:claimed', 'enrich:artifacts', 'outside:acted'].map(again),
  ];
}

function aroundEachEffect(): Plan[] {
  const others = [...RECONCILING, ...FILES, 'mail.send'] as const;
  return others.map((effect) => ({
    situation: plain(effect),
    killsAt: (points) => [
      ...AROUND_THE_EFFECT.flatMap((step) => steps(points, new RegExp(`^${step}:`))),
      ...['prepare:before', 'prepare:after'].map((point) => ({ point, nth: 1 })),
      // The first commit is the producer's.
      ...['commit:before', 'commit:after'].map((point) => ({ point, nth: 2 })),
    ],
  }));
}

function insideFileTools(): Plan[] {
  return FILES.map((effect) => ({
    situation: plain(effect),
    killsAt: (points) => steps(points, /^fs\.(?!open)/, 1),
  }));
}

function outsideMoments(): Plan[] {
  const effects = ['http.post', ...RECONCILING, 'mail.send'] as const;
  return effects.map((effect) => ({
    situation: plain(effect),
    killsAt: () =>
      ['received', 'acted', 'answered'].flatMap((moment) => twice(`outside:${moment}`)),
  }));
}

function lateEffects(): Plan[] {
  return RECONCILING.map((effect) => ({
    situation: plain(effect),
    killsAt: () => [{ point: 'outside:late', nth: 1 }],
  }));
}

/** The answer is lost or ambiguous, and the host is killed while it checks the outcome. */
function lostAnswers(): Plan[] {
  const effects = ['http.post', 'http.post+reconcile'] as const;
  return effects.flatMap((effect) =>
    (['drop', 'refuse'] as const).map((mode) => ({
      situation: { ...plain(effect), fault: { mode, nth: 1 } },
      killsAt: (points) => commitsFrom(points, 'send:after#1', 6),
    })),
  );
}

/** Killed once, and again during recovery. */
function crashesInRecovery(): Plan[] {
  const again = (effect: EffectKind, point: string, answer: AnswerRule = 'truth'): Plan => ({
    situation: { ...plain(effect), kills: [{ point, nth: 1 }], answer },
    killsAt: (points) => [...steps(points, /^reconcile/, 1), ...commits(points, 1, 12)],
  });
  const onlySteps = (effect: EffectKind, point: string): Plan => ({
    situation: { ...plain(effect), kills: [{ point, nth: 1 }] },
    killsAt: (points) => steps(points, /^(?:reconcile|in_flight|send|outcome)/, 1),
  });
  return [
    again('http.post', 'outside:acted'),
    again('http.post', 'outside:received', 'retry'),
    again('http.post+reconcile', 'outside:acted'),
    again('http.post+reconcile', 'outside:received'),
    onlySteps('http.post+reconcile', 'send:before'),
    onlySteps('files.append', 'fs.write:after'),
    onlySteps('files.move', 'fs.link:after'),
  ];
}

function otherResolutions(): Plan[] {
  const rules = ['retry', 'skip'] as const;
  const alone = rules.map((answer) => ({
    situation: { ...plain('http.post'), answer },
    killsAt: () =>
      ['outside:received', 'outside:acted', 'send:before', 'send:after'].flatMap(twice),
  }));
  const mute = (['truth', ...rules] as const).map((answer) => ({
    situation: { ...plain('http.post+reconcile'), answer, isMute: true },
    killsAt: () => ['outside:received', 'outside:acted'].map((point) => ({ point, nth: 1 })),
  }));
  return [...alone, ...mute];
}

function plain(effect: EffectKind): Cell {
  return { effect, kills: [], answer: 'truth' };
}

function twice(point: string): KillPoint[] {
  return [1, 2].map((nth) => ({ point, nth }));
}

function steps(
  { passed }: PassedPoints,
  which = ENGINE_STEP,
  atMost = Number.POSITIVE_INFINITY,
): KillPoint[] {
  return Object.entries(passed)
    .filter(([point]) => which.test(point) && !point.endsWith('>store'))
    .flatMap(([point, times]) => range(1, Math.min(times, atMost)).map((nth) => ({ point, nth })));
}

/** After each commit; the database file is then the same as before the next commit. */
function commits(
  { passed }: PassedPoints,
  from: number,
  atMost = Number.POSITIVE_INFINITY,
): KillPoint[] {
  const last = Math.min(passed['store:after'] ?? 0, from - 1 + atMost);
  return range(from, last).map((nth) => ({ point: 'store:after', nth }));
}

function commitsFrom(points: PassedPoints, pointAndNth: string, atMost?: number): KillPoint[] {
  return commits(points, (points.commitsAt[pointAndNth] ?? 0) + 1, atMost);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
