// What a run of a workflow costs: the engine as it runs in production, against the same rows by
// hand and against OpenWorkflow. Each side is a process of its own; they take turns.
import { installOpenWorkflow } from './engine/install-openworkflow.ts';
import { expectSameShapes } from './engine/shapes.ts';
import { startSide, type AskedSide } from './engine/side.ts';
import type { ByHandAnswers } from './engine/sides/by-hand.ts';
import type { HostAnswers } from './engine/sides/host.ts';
import type { OpenWorkflowAnswers } from './engine/sides/openworkflow.ts';
import type { ServiceAnswers } from './engine/sides/service.ts';
import { LANES, RUNS_ONE_AT_A_TIME, RUNS_PER_LANE } from './engine/workload.ts';
import { amount, median, percentile, perSecond, report, type Figure } from './harness.ts';
import { watchStolen } from './stolen.ts';
import { sayOnStderr } from '#scripts/lib/processes.mjs';

/** What slows the machine down lasts for seconds: so many that it is not the median of them. */
const ROUNDS = 9;
/**
 * Where others on the same hardware take more than that of the machine, everything takes longer, and
 * what has several threads far longer: with 0 to 5 % taken a run takes 2.1 to 2.6 ms, with 20 % 3 to 4,
 * with half 6. So rounds are played until there are enough in which nobody did, or for three minutes;
 * those count of which the least was taken, whatever they say, and `stolen` tells how much it was.
 */
const MAX_STOLEN_PERCENT = 5;
const MAX_ROUNDS = 24;
const MAX_MS_OVER_POST = 2;
const MIN_OF_BY_HAND = 0.5;
const MIN_OF_OPENWORKFLOW = { oneAtATime: 20, atOnce: 3 };
const MAX_LOOP_DELAY_MS = 20;
const MAX_RSS_MB = 250;

interface Sides {
  readonly host: AskedSide<HostAnswers>;
  readonly byHand: AskedSide<ByHandAnswers>;
  /** Or why it is not there. */
  readonly openWorkflow: AskedSide<OpenWorkflowAnswers> | string;
}

interface Round {
  /** In %, of what the machine wanted to compute meanwhile. */
  readonly stolen: number;
  readonly host: Pick<HostAnswers, 'oneAtATime' | 'atOnce'>;
  readonly byHand: Pick<ByHandAnswers, 'oneAtATime' | 'atOnce'>;
  readonly openWorkflow: OpenWorkflowAnswers | null;
}

const service = await startSide<ServiceAnswers>(sideFile('service'), []);
const port = String(await service.ask('port'));
const sides: Sides = {
  host: await startSide(sideFile('host'), [port]),
  byHand: await startSide(sideFile('by-hand'), [port]),
  openWorkflow: await startOpenWorkflow(),
};
// The first round fills caches and lets the compiler settle; nobody looks at its times.
await playRound(sides, 0);
const played: Round[] = [];
const isQuiet = ({ stolen }: Round): boolean => stolen <= MAX_STOLEN_PERCENT;
while (played.length < MAX_ROUNDS && played.filter(isQuiet).length < ROUNDS) {
  played.push(await playRound(sides, played.length));
}
const rounds = played.toSorted((a, b) => a.stolen - b.stolen).slice(0, ROUNDS);
expectSameShapes(await sides.host.ask('shapes'), await sides.byHand.ask('shapes'));
const counts = await service.ask('counts');
for (const side of Object.values(sides)) if (typeof side === 'object') await side.end();
await service.end();

expectEachEffectOnce();
report('engine', figures());

function sideFile(name: string): URL {
  return new URL(`./engine/sides/${name}.ts`, import.meta.url);
}

async function startOpenWorkflow(): Promise<Sides['openWorkflow']> {
  const missing = await installOpenWorkflow();
  if (missing === null) return startSide(sideFile('openworkflow'), [port]);
  sayOnStderr(`not run: OpenWorkflow. ${missing}`);
  return missing;
}

async function playRound({ host, byHand, openWorkflow }: Sides, index: number): Promise<Round> {
  const round: { -readonly [side in keyof Round]?: Round[side] } = { openWorkflow: null };
  const stolen = watchStolen();
  const turns = [
    async () => {
      round.host = { oneAtATime: await host.ask('oneAtATime'), atOnce: await host.ask('atOnce') };
    },
    async () => {
      const alone = await byHand.ask('oneAtATime');
      round.byHand = { oneAtATime: alone, atOnce: await byHand.ask('atOnce') };
    },
    async () => {
      if (typeof openWorkflow === 'string') return;
      const alone = await openWorkflow.ask('oneAtATime');
      round.openWorkflow = { oneAtATime: alone, atOnce: await openWorkflow.ask('atOnce') };
    },
  ];
  // Who goes first alternates: what one leaves behind must not favour another.
  for (const turn of index % 2 === 0 ? turns : turns.toReversed()) await turn();
  round.stolen = stolen();
  return round as Round;
}

/** A bench that counts runs which did not do their work measures nothing. */
function expectEachEffectOnce(): void {
  const expected = (played.length + 1) * (RUNS_ONE_AT_A_TIME + LANES * RUNS_PER_LANE);
  for (const name of ['host', 'by-hand']) {
    const { effects, keys } = counts[name] ?? { effects: 0, keys: 0 };
    if (effects !== expected || keys !== expected) {
      throw new Error(`${name}: ${expected} runs made ${effects} effects with ${keys} keys.`);
    }
  }
}

function figures(): Figure[] {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const alone = ({ host }: Round): number => perSecondOf(host.oneAtATime.runs);
  const atOnce = ({ host }: Round): number => host.atOnce.runsPerSecond;
  return [
    amount(
      'run_p50',
      middle(({ host }) => median(host.oneAtATime.runs)),
      'ms',
      null,
    ),
    amount(
      'run_p99',
      middle(({ host }) => percentile(host.oneAtATime.runs, 99)),
      'ms',
      null,
    ),
    amount(
      'by_hand_p50',
      middle(({ byHand }) => median(byHand.oneAtATime.runs)),
      'ms',
      null,
    ),
    amount(
      'post_p50',
      middle(({ host }) => median(host.oneAtATime.posts)),
      'ms',
      null,
    ),
    amount(
      'run_p50_over_post',
      middle(({ host: { oneAtATime } }) => median(oneAtATime.runs) - median(oneAtATime.posts)),
      'ms',
      MAX_MS_OVER_POST,
    ),
    against('runs_per_s_alone', null, alone, ({ byHand }) => perSecondOf(byHand.oneAtATime.runs)),
    against('runs_per_s_64', MIN_OF_BY_HAND, atOnce, ({ byHand }) => byHand.atOnce.runsPerSecond),
    againstOpenWorkflow('openworkflow_alone', MIN_OF_OPENWORKFLOW.oneAtATime, alone, (side) =>
      perSecondOf(side.oneAtATime.runs),
    ),
    againstOpenWorkflow(
      'openworkflow_64',
      MIN_OF_OPENWORKFLOW.atOnce,
      atOnce,
      (side) => side.atOnce.runsPerSecond,
    ),
    amount(
      'cpu_64',
      middle(({ host }) => host.atOnce.cpuMs),
      'ms',
      null,
    ),
    amount(
      'cpu_64_main_thread',
      middle(({ host }) => host.atOnce.mainCpuMs),
      'ms',
      null,
    ),
    amount(
      'cpu_64_by_hand',
      middle(({ byHand }) => byHand.atOnce.cpuMs),
      'ms',
      null,
    ),
    amount(
      'event_loop_delay_p99_64',
      middle(({ host }) => host.atOnce.eventLoopDelayP99),
      'ms',
      MAX_LOOP_DELAY_MS,
    ),
    // Of the first rounds, whoever took what: after two minutes the daily backup is made beside.
    amount(
      'rss',
      Math.max(...played.slice(0, ROUNDS).map(({ host }) => host.atOnce.rssMb)),
      'MB',
      MAX_RSS_MB,
    ),
    {
      ...amount(
        'stolen',
        middle(({ stolen }) => stolen),
        '%',
        null,
      ),
      note: `${rounds.length} of ${played.length} rounds count, up to ${Math.max(...rounds.map(({ stolen }) => stolen)).toFixed(0)} %; of all, ${median(played.map(({ stolen }) => stolen)).toFixed(0)} %`,
    },
  ];
}

function perSecondOf(times: readonly number[]): number {
  return (times.length * 1000) / times.reduce((sum, time) => sum + time, 0);
}

/** Round by round: what slows one side down for seconds slows down the other beside it. */
function against(
  name: string,
  bar: number | null,
  ours: (round: Round) => number,
  theirs: (round: Round) => number,
): Figure {
  const ratio = median(rounds.map((round) => ours(round) / theirs(round)));
  return perSecond(name, median(rounds.map(ours)), median(rounds.map(theirs)), bar, ratio);
}

function againstOpenWorkflow(
  name: string,
  bar: number,
  ours: (round: Round) => number,
  pick: (side: OpenWorkflowAnswers) => number,
): Figure {
  if (typeof sides.openWorkflow === 'object') {
    return against(name, bar, ours, ({ openWorkflow }) =>
      openWorkflow ? pick(openWorkflow) : Number.NaN,
    );
  }
  const note = `not run: ${sides.openWorkflow}`;
  const nothing = { value: null, baseline: null, ratio: null };
  return { name, ...nothing, unit: '1/s', bar, barIs: 'min', ok: false, note };
}
