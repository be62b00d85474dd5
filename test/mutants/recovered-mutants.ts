// Mutants of the column that a device writes after a crash about its own effect.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const STORE = 'test/store/takeover-precedence.test.ts';
const ENGINE = 'test/engine/recovered-effects.test.ts';
const PURE = 'test/shared/ownership.test.ts';

export const RECOVERED_MUTANTS: readonly Mutant[] = [
  ...inFile(
    'src-main/engine/continuation/continue-run.ts',
    [ENGINE],
    [
      [
        'the maker writes its doubt into the column of a later owner',
        "return isMaker ? 'recovered' : 'owner';",
        "return 'owner';",
      ],
      [
        'a maker that lost the workflow doubts as its new owner',
        "const isMaker = reason === 'ownership_lost' || stores",
        'const isMaker = stores',
      ],
      [
        'a maker that lost the workflow doubts over what it knew of its call',
        "return isMaker ? 'recovered' : 'owner';",
        "return reason === 'ownership_lost' ? 'maker' : isMaker ? 'recovered' : 'owner';",
      ],
    ],
  ),
  ...inFile(
    'src-main/store/sqlite/guarded-update.ts',
    [STORE],
    [
      [
        'a maker that recovered continues over what it knew of its call',
        "return recovered === null ? 'maker' : 'recovered';",
        "return 'maker';",
      ],
    ],
  ),
  ...inFile(
    'src-main/store/tables/mutations.ts',
    [STORE],
    [
      [
        'a remembered outcome hides what stands beside it',
        "laterColumns: ['recovered', 'takeover'],",
        "laterColumns: ['takeover'],",
      ],
    ],
  ),
  ...inFile(
    'src-main/store/tables/mutation-row.ts',
    [STORE],
    [
      [
        'a maker that recovered continues from what a later owner wrote',
        'return stateOf(outcomeOfMaker(sides));',
        'return stateOf(effectiveOutcome(sides));',
      ],
    ],
  ),
  ...inFile(
    'src-shared/takeover-precedence.ts',
    [STORE],
    [
      [
        'what the maker found after a crash gives way to a later owner',
        'return laterOutcome(outcomeOfMaker(sides), sides.taken);',
        'return laterOutcome(sides.made, sides.taken ?? sides.recovered);',
      ],
      [
        'what the maker found after a crash hides a later owner',
        'return laterOutcome(outcomeOfMaker(sides), sides.taken);',
        'return laterOutcome(sides.made, sides.recovered ?? sides.taken);',
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/effect-ledger.ts',
    [ENGINE],
    [
      [
        'a check of the former owner writes the side of the new one in the run',
        "side === 'maker' || (side === 'recovered' && isLost)",
        "side === 'maker'",
      ],
      [
        'what only the check of the maker found does not prevent a resend',
        '[state, made, stateOfMaker])',
        '[state, made])',
      ],
    ],
  ),
  ...inFile(
    'src-shared/incidents.ts',
    [PURE],
    [
      [
        'what the maker found after a crash contradicts no decision of a later owner',
        'contradiction(recovered, taken),',
        '',
      ],
      ['a decision on the maker contradicts nothing', 'contradiction(made, recovered),', ''],
      [
        'one resend that both found counts twice',
        'resent.map((side) => [side.resolvedAt, side])',
        'resent.map((side, n) => [n, side])',
      ],
      [
        'what the maker found not to have happened may be asserted',
        "made.status === 'failed' || (recovered?.status === 'failed' && !recovered.resolvedBy)",
        "made.status === 'failed'",
      ],
    ],
  ),
];
