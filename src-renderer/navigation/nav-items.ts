// The main pages: shown in the sidebar, listed in the palette, reachable with `g` and a letter. A
// new page needs one entry here and a route in `router.ts`.
import {
  ChartColumn,
  FilePlus2,
  History,
  Inbox,
  LogIn,
  MonitorSmartphone,
  Settings,
  SquareTerminal,
  Webhook,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { href, PAIRING_METHODS, type Route } from '#renderer/navigation/router.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { metricsText } from '#renderer/text/metrics-text.ts';
import { SECTION_LABELS, SETTINGS_SECTIONS } from '#renderer/text/settings-text.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

export interface NavItem {
  readonly name: string;
  readonly to: string;
  readonly icon: LucideIcon;
  /** Pages on which this place is marked as current. */
  readonly pages: readonly Route['page'][];
  /** The key after `g`. */
  readonly letter: string;
}

export const NAV_ITEMS: readonly NavItem[] = [
  { name: text.app.inbox, to: href.inbox(), icon: Inbox, pages: ['inbox'], letter: 'i' },
  {
    name: inputsText.name,
    to: href.inputs(),
    icon: LogIn,
    pages: ['inputs', 'input', 'hooks'],
    letter: 'n',
  },
  {
    name: text.app.workflows,
    to: href.workflows(),
    icon: Workflow,
    pages: ['workflows', 'workflow', 'new-workflow', 'sessions', 'session'],
    letter: 'w',
  },
  { name: text.app.runs, to: href.runs(), icon: History, pages: ['runs', 'run'], letter: 'r' },
  {
    name: text.app.jobs,
    to: href.jobs(),
    icon: SquareTerminal,
    pages: ['jobs', 'job', 'scripts', 'script', 'registry'],
    letter: 'j',
  },
  {
    name: text.app.devices,
    to: href.devices(),
    icon: MonitorSmartphone,
    pages: ['devices', 'pairing'],
    letter: 'd',
  },
  {
    name: metricsText.name,
    to: href.metrics(),
    icon: ChartColumn,
    pages: ['metrics'],
    letter: 'm',
  },
  {
    name: text.app.settings,
    to: href.settings(),
    icon: Settings,
    pages: ['settings'],
    letter: 's',
  },
];

/** Subpages, found by the palette. */
export const SECONDARY_PAGES: readonly Pick<NavItem, 'name' | 'to' | 'icon'>[] = [
  { name: workflowText.create.newButton, to: href.newWorkflow(), icon: FilePlus2 },
  { name: text.sessions.title, to: href.sessions(), icon: History },
  { name: inputsText.webhooks.title, to: href.webhooks(), icon: Webhook },
  { name: text.runScript.list, to: href.scripts(), icon: SquareTerminal },
  { name: text.scripts.field, to: href.registry(), icon: SquareTerminal },
  ...PAIRING_METHODS.map((way) => ({
    name: `${text.pairing.title}: ${text.pairing[way]}`,
    to: href.pairing(way),
    icon: MonitorSmartphone,
  })),
  ...SETTINGS_SECTIONS.map((section) => ({
    name: `${text.app.settings}: ${SECTION_LABELS[section]}`,
    to: href.settings(section),
    icon: Settings,
  })),
];
