// The graph of a workflow, and publishing an event from it.
import { count, counted, list } from '#renderer/text/numbers.ts';

export const graphText = {
  graph: {
    loading: 'Loading the graph',
    empty: 'No graph to show',
    emptyHint: 'This workflow has no version yet, or one from another version of Holdfast.',
    label: 'Graph of topics and handlers',
    list: 'View as list',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit',
    cycle: (way: readonly string[]) => `Events can loop: ${[...way, way[0]].join(' → ')}.`,
    topic: 'Topic',
    producer: 'Producer',
    consumer: 'Consumer',
    pending: (events: number) => `${upTo(events)} pending`,
    reserved: (events: number) => `${upTo(events)} reserved`,
    setAside: (events: number) => `${upTo(events)} set aside`,
    running: (runs: number) => counted(runs, 'run in progress', 'runs in progress'),
    waiting: (runs: number) => counted(runs, 'run suspended', 'runs suspended'),
    nothing: 'empty',
    /** Under a node's name, where one word fits. */
    short: {
      pending: 'pending',
      reserved: 'reserved',
      setAside: 'aside',
      running: 'running',
      waiting: 'suspended',
    },
    idle: 'idle',
    from: (names: readonly string[]) => `published by ${list.format(names)}`,
    fromNobody: 'only you publish to it',
    to: (names: readonly string[]) => `consumed by ${list.format(names)}`,
    toNobody: 'no consumer: its events stay pending',
    takes: (names: readonly string[]) => `consumes ${list.format(names)}`,
    publishes: (names: readonly string[]) => `publishes ${list.format(names)}`,
    choose: 'Select a topic to see its events, or a handler to see its runs.',
    close: 'Close',
    events: 'Events',
    noEvents: 'No events yet',
    noRuns: 'No runs yet',
    more: 'Show more',
    loadingEvents: 'Loading events',
    loadingRuns: 'Loading runs',
    gone: 'Not in the active version.',
  },

  publish: {
    open: 'Publish event…',
    title: (topic: string) => `Publish to ${topic}`,
    hint: 'Consumers of this topic act on it as if the workflow had published it.',
    name: 'Title',
    nameHint: 'Shown in lists and in the inbox.',
    payload: 'Payload',
    payloadHint: 'JSON. Empty means null.',
    payloadProblem: 'Invalid JSON. Fix it or clear the field. Nothing was published.',
    submit: 'Publish',
    submitting: 'Publishing…',
  },
} as const;

/** The host stops counting at 1000. */
function upTo(events: number): string {
  return events >= 1000 ? `${count(events)}+` : count(events);
}
