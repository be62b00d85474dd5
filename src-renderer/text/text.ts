// Interface text by area. Host errors arrive as complete sentences.
import { appText } from '#renderer/text/app-text.ts';
import { devicesText, pairingText } from '#renderer/text/devices-text.ts';
import { inboxText } from '#renderer/text/inbox-text.ts';
import { jobsText } from '#renderer/text/jobs-text.ts';
import { runsText } from '#renderer/text/runs-text.ts';
import { sessionsText } from '#renderer/text/sessions-text.ts';
import { settingsText } from '#renderer/text/settings-text.ts';
import { workflowsText } from '#renderer/text/workflows-text.ts';

export const text = {
  ...appText,
  ...inboxText,
  ...workflowsText,
  ...runsText,
  ...jobsText,
  ...sessionsText,
  devices: devicesText,
  pairing: pairingText,
  settings: settingsText,
} as const;
