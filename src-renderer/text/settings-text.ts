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
    hint: 'One folder holds this device’s database, keys, secrets and logs. Only your user account can read it.',
    path: 'Folder',
    size: 'Size',
    loading: 'Measuring the folder',
    open: 'Open in file manager',
    copy: 'Copy path',
    copied: 'Copied',
    noDesktop: 'Use the desktop app to open the folder in a file manager.',
    names: {
      database: 'Database',
      backups: 'Backups',
      logs: 'Logs',
      jobs: 'Job logs',
      window: 'Window files',
      rest: 'Everything else',
    },
  },

  grants: {
    hint: 'Permissions each workflow has on this device. Adding or activating a file grants what it declares. Change or revoke it here.',
    loading: 'Loading grants',
    emptyTitle: 'No grants yet',
    emptyHint:
      'Workflows can’t reach anything outside without a grant. Add a workflow that declares a tool, and its grant appears here.',
    elsewhere: 'Another device runs this workflow. These grants apply once it runs here.',
    missing: 'Requested, not granted',
    grant: 'Grant',
    grantMore: 'Grant a tool…',
    change: 'Change…',
    revoke: 'Revoke',
    tool: 'Tool',
    changed: 'Differs from the file',
    formTitle: (workflow: string) => `Grant to “${workflow}”`,
    scope: 'Scope',
    scopeHint: 'JSON. Replaces the current grant for this tool.',
    notJson: 'Invalid JSON. Nothing was changed.',
    submit: 'Grant',
    revokeTitle: (tool: string, workflow: string) => `Revoke ${tool} from “${workflow}”?`,
    revokeWarning:
      'The next call to this tool is refused before anything is sent, and the run waits for you in the inbox. Earlier effects aren’t undone.',
    revokeSubmit: 'Revoke',
    of: (tool: string, workflow: string) => ` ${tool} of ${workflow}`,
    to: (tool: string, workflow: string) => ` ${tool} to ${workflow}`,
  },

  secrets: {
    hint: 'Passwords and keys that workflows use by name. They stay on this device, are masked in logs and history, and are never shown again.',
    loading: 'Loading secrets',
    emptyTitle: 'No secrets yet',
    emptyHint:
      'When a workflow needs a password or key, save it here under the name the workflow uses.',
    add: 'Add secret',
    name: 'Name',
    nameHint: 'The name the workflow uses. Letters, digits, “.”, “_” and “-”.',
    value: 'Value',
    valueHint: 'Never shown, not even while you type.',
    submit: 'Save',
    saved: (name: string) => `Saved “${name}”.`,
    replace: 'Replace…',
    replaceTitle: (name: string) => `Replace “${name}”`,
    remove: 'Remove…',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeWarning:
      'You can’t undo this. Workflows that use it wait for you in the inbox until you add it again.',
    removeSubmit: 'Remove',
    removed: (name: string) => `Removed “${name}”.`,
    of: (name: string) => ` ${name}`,
    masked: 'Saved, never shown',
  },

  desktop: {
    hint: 'How Holdfast behaves on this machine.',
    loading: 'Loading',
    none: 'Available in the desktop app. This host runs as long as “holdfast serve” does.',
    startAtLogin: 'Start at login',
    startAtLoginHint: 'Starts Holdfast in the tray when you log in, so schedules keep running.',
    notifications: 'Notifications',
    notificationsHint: 'Only when something needs you or fails. Each once.',
    keepRunning: 'Keep running when the window is closed',
    keepRunningHint: 'Holdfast stays in the tray. Quit it from there.',
  },

  access: {
    hint: 'Programs and browsers on this machine connect with an API token. It’s stored in the data folder, and only your user account can read it.',
    rotate: 'Replace API token…',
    rotateTitle: 'Replace the API token?',
    rotateWarning:
      'Other browser tabs and programs lose access immediately and need the new token. This window and the command line keep working.',
    rotateSubmit: 'Replace',
    rotated: 'API token replaced. The old one no longer works.',
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
    noWindow: 'Not used in a browser',
    copy: 'Copy as JSON',
    copied: 'Copied',
  },
} as const;
