// A page that holds text which is kept nowhere else does not let itself be closed. Electron would
// then do nothing, and say nothing: the person is asked.
import { dialog, type BrowserWindow } from 'electron';

const KEEP = 0;

/** `onStay` is told when the person would rather keep what they typed. */
export function askBeforeLeaving(window: BrowserWindow, onStay: () => void): void {
  window.webContents.on('will-prevent-unload', (event) => {
    const answer = dialog.showMessageBoxSync(window, {
      type: 'warning',
      title: 'Holdfast',
      message: 'Unsaved changes would be lost.',
      detail:
        'There was no room left to keep them. Go back and save them, or leave without them. Workflows are not touched either way.',
      buttons: ['Go back', 'Leave without them'],
      defaultId: KEEP,
      cancelId: KEEP,
    });
    // To Electron this means: never mind the page.
    if (answer === KEEP) onStay();
    else event.preventDefault();
  });
}
