// What is said where scripts are listed and run.

export const runScriptText = {
  list: 'Scripts',
  emptyTitle: 'No script may run yet',
  emptyHint:
    'Only scripts that the registry lists can be run, by you or by a workflow, and only with the arguments that it allows.',
  toRegistry: 'Edit the registry',
  toList: 'Scripts',
  run: 'Run…',
  runOf: (title: string) => ` ${title}`,
  repo: 'Repo',
  takes: 'Takes',
  takesNothing: 'no arguments',
  optional: (name: string) => `${name} (optional)`,
  notFoundTitle: 'There is no such script',
  notFoundHint: 'The registry does not list it any more, or lists it under another name.',
  command: 'Arguments',
  noArgs: 'It takes no arguments.',
  required: 'Required.',
  byDefault: (value: string) => `Left empty: ${value}.`,
  missing: 'is missing',
  flaw: (flaw: string) => `It ${flaw}.`,
  notANumber: 'must be a number',
  choose: 'Not chosen',
  /** Who asked for a job: people are told by that word alone. */
  asker: (requestedBy: string) => (requestedBy === 'person' ? 'You' : requestedBy),
  number: (min: number | undefined, max: number | undefined) => {
    if (min !== undefined && max !== undefined) return `From ${min} to ${max}.`;
    if (min !== undefined) return `At least ${min}.`;
    return max === undefined ? '' : `At most ${max}.`;
  },
  path: 'A path within the repo.',
  submit: 'Run',
  again: 'Run again',
  change: 'Change and run…',
  gone: 'The job whose arguments were wanted is gone: the form begins empty.',
} as const;
