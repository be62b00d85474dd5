// Notices as notifications of the system. Those of workflows are their own effect; those of what
// waits lead to it.
import { Notification } from 'electron';
import type { Notifier } from '#main/tools/notify.ts';

// What nobody holds is collected, and its click is never heard.
const shown = new Set<Notification>();

export function showNotification(title: string, body: string, onClick: () => void): void {
  const notification = new Notification({ title, body });
  shown.add(notification);
  const forget = (): void => void shown.delete(notification);
  notification.on('click', () => {
    forget();
    onClick();
  });
  notification.on('close', forget);
  notification.on('failed', forget);
  notification.show();
}

export function createNotifier(onClick: () => void): Notifier {
  return async ({ title, body }) => {
    if (!Notification.isSupported()) throw new Error('This system shows no notifications.');
    showNotification(title, body, onClick);
  };
}
