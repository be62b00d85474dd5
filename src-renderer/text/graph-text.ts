// The graph of a workflow, and publishing an event from it.
import { count, counted, list } from '#renderer/text/numbers.ts';

export const graphText = {
  graph: {
    loading: 'Loading the graph',
    empty: 'There is nothing to draw',
    emptyHint: 'This workflow has no script yet, or one of another version of Holdfast.',
    label: 'Graph of topics and handlers',
    list: 'The same as a list',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit',
    cycle: (way: readonly string[]) => `Events go round: ${[...way, way[0]].join(' → ')}.`,
    topic: 'Topic',
    producer: 'Producer',
    consumer: 'Consumer',
    pending: (events: number) => `${upTo(events)} pending`,
    reserved: (events: number) => `${upTo(events)} reserved`,
    setAside: (events: number) => `${upTo(events)} set aside`,
    atWork: (runs: number) => counted(runs, 'run at work', 'runs at work'),
    waiting: (runs: number) => counted(runs, 'run waits', 'runs wait'),
    nothing: 'empty',
    /** Under a node's name, where there is room for one word. */
    short: {
      pending: 'pending',
      reserved: 'reserved',
      setAside: 'aside',
      atWork: 'at work',
      waiting: 'waiting',
    },
    idle: 'idle',
    from: (names: readonly string[]) => `published by ${list.format(names)}`,
    fromNobody: 'published by hand only',
    to: (names: readonly string[]) => `taken by ${list.format(names)}`,
    toNobody: 'taken by nobody: its events stay',
    takes: (names: readonly string[]) => `takes ${list.format(names)}`,
    publishes: (names: readonly string[]) => `publishes ${list.format(names)}`,
    choose: 'Choose a topic to see its events, or a handler to see its runs.',
    close: 'Close',
    events: 'Events',
    noEvents: 'No events yet.',
    noRuns: 'No runs yet.',
    more: 'Show more',
    loadingEvents: 'Loading events',
    loadingRuns: 'Loading runs',
    gone: 'It is not in the active version.',
  },

  publish: {
    open: 'Publish an event…',
    title: (topic: string) => `Publish to ${topic}`,
    hint: 'As if the workflow had published it: whoever takes this topic acts on it.',
    name: 'Title',
    nameHint: 'What people see.',
    payload: 'Payload',
    payloadHint: 'As JSON. Empty is null.',
    payloadProblem: 'This is not JSON. Mend it or leave it empty; nothing was published.',
    submit: 'Publish',
    submitting: 'Publishing…',
  },
} as const;

/** The host stops counting there. */
function upTo(events: number): string {
  return events >= 1000 ? `${count(events)}+` : count(events);
}
