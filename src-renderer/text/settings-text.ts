// Settings.

export const SETTINGS_SECTIONS = [
  'data',
  'backups',
  'history',
  'grants',
  'secrets',
  'desktop',
  'access',
  'about',
] as const;
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

export const SECTION_LABELS: Readonly<Record<SettingsSection, string>> = {
  data: 'Data folder',
  backups: 'Backups',
  history: 'History',
  grants: 'Grants',
  secrets: 'Secrets',
  desktop: 'Desktop',
  access: 'Access',
  about: 'About',
};

export const settingsText = {
  title: 'Settings',
  sections: 'Sections',

  data: {
    hint: 'Everything of this device lies in one folder: database, keys, secrets, logs. Only your user can read it.',
    path: 'Folder',
    size: 'Size',
    loading: 'Measuring the folder',
    open: 'Open in file manager',
    copy: 'Copy path',
    copied: 'Copied',
    noDesktop: 'To open it in a file manager, use the desktop app.',
    parts: 'What takes room',
    names: {
      database: 'Database',
      backups: 'Backups',
      logs: 'Logs',
      jobs: 'Logs of jobs',
      window: 'The window’s own files',
      rest: 'Everything else',
    },
  },

  grants: {
    hint: 'What each workflow may use on this device. Adding or activating a file grants what it asks for; here you see it, change it and take it back.',
    loading: 'Loading grants',
    emptyTitle: 'Nothing is granted',
    emptyHint:
      'A workflow can do nothing outside by itself. When you add one that asks for a tool, what it may do with it stands here.',
    elsewhere: 'Another device runs it: these grants count once it is run here.',
    missing: 'Asked for, not granted',
    grant: 'Grant',
    granted: 'Granted',
    grantMore: 'Grant a tool…',
    change: 'Change…',
    revoke: 'Revoke',
    tool: 'Tool',
    changed: 'Not as its file asks',
    formTitle: (workflow: string) => `Grant to “${workflow}”`,
    scope: 'What it may do with it',
    scopeHint: 'As JSON. It replaces what was granted of this tool before.',
    notJson: 'This is not JSON. Mend it; nothing was granted.',
    submit: 'Grant',
    revokeTitle: (tool: string, workflow: string) => `Revoke ${tool} from “${workflow}”?`,
    revokeWarning:
      'Its next call of this tool is refused before anything leaves, and it waits for you in the inbox. What it did before is not undone.',
    revokeSubmit: 'Revoke',
    of: (tool: string, workflow: string) => ` ${tool} of ${workflow}`,
    to: (tool: string, workflow: string) => ` ${tool} to ${workflow}`,
  },

  secrets: {
    hint: 'Passwords and keys that workflows use by name. They stay on this device, are masked wherever something is stored or shown, and are never shown again, not even here.',
    loading: 'Loading the names',
    emptyTitle: 'No secrets yet',
    emptyHint:
      'When a workflow needs a password or a key, keep it here under the name that it uses.',
    add: 'Add a secret',
    name: 'Name',
    nameHint: 'As the workflow calls it. Letters, digits, “.”, “_” and “-”.',
    value: 'Value',
    valueHint: 'It is not shown while you type, and never afterwards.',
    submit: 'Keep',
    kept: (name: string) => `“${name}” is kept.`,
    replace: 'Replace…',
    replaceTitle: (name: string) => `Replace “${name}”`,
    remove: 'Remove…',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeWarning:
      'It cannot be brought back. Workflows that use it wait for you in the inbox until it is there again.',
    removeSubmit: 'Remove',
    removed: (name: string) => `“${name}” is removed.`,
    of: (name: string) => ` ${name}`,
    masked: 'Kept, never shown',
  },

  desktop: {
    hint: 'How Holdfast behaves on this machine.',
    loading: 'Loading',
    none: 'Only in the desktop app. This host has no desktop: it runs as long as “holdfast serve” does.',
    startAtLogin: 'Start at login',
    startAtLoginHint: 'Holdfast starts with your session, in the tray, and schedules go on.',
    notifications: 'Notifications',
    notificationsHint: 'Only when something waits for you or has failed. Each once.',
    keepRunning: 'Keep running when the window is closed',
    keepRunningHint: 'It stays in the tray and goes on. Quit from there.',
  },

  access: {
    hint: 'Programs and browsers on this machine reach Holdfast with a key. It lies in the data folder, and only your user can read it.',
    rotate: 'Replace the key…',
    rotateTitle: 'Replace the key?',
    rotateWarning:
      'Every other browser tab and program that has the old one is turned away at once and needs the new one. This window and the command line go on.',
    rotateSubmit: 'Replace',
    rotated: 'The key was replaced. The old one opens nothing any more.',
  },

  about: {
    loading: 'Loading versions',
    holdfast: 'Holdfast',
    schema: 'Schema',
    node: 'Node',
    electron: 'Electron',
    chromium: 'Chromium',
    sqlite: 'SQLite',
    crsqlite: 'cr-sqlite',
    platform: 'Platform',
    device: 'Device',
    space: 'Space',
    noWindow: 'Not here: a browser shows it',
    copy: 'Copy as JSON',
    copied: 'Copied',
  },
} as const;
