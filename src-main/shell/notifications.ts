// Notices of workflows as notifications of the system.
import { Notification } from 'electron';
import type { Notifier } from '#main/tools/notify.ts';
import { showWindow } from '#main/shell/window.ts';

export const showNotice: Notifier = async ({ title, body }) => {
  if (!Notification.isSupported()) throw new Error('This system shows no notifications.');
  const notification = new Notification({ title, body });
  notification.on('click', showWindow);
  notification.show();
};
