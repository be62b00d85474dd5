// System notifications, for workflows (the `notify` tool) and for inbox items.
import { Notification } from 'electron';
import type { Notifier } from '#main/tools/notify.ts';

// References keep notifications from being garbage-collected, which would lose their click event.
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
    if (!Notification.isSupported()) {
      throw new Error('This system does not support notifications.');
    }
    showNotification(title, body, onClick);
  };
}
