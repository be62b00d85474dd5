// A page with unsaved text prevents its unload. Electron then ignores the close silently, so we ask
// the person.
import { dialog, type BrowserWindow } from 'electron';

const GO_BACK = 0;

/** Calls `onStay` if the person goes back to the page. */
export function askBeforeLeaving(window: BrowserWindow, onStay: () => void): void {
  window.webContents.on('will-prevent-unload', (event) => {
    const answer = dialog.showMessageBoxSync(window, {
      type: 'warning',
      title: 'Holdfast',
      message: 'You have unsaved changes.',
      detail:
        'Storage is full, so Holdfast could not save a copy of them. Go back to save them, or discard them. Workflows are not affected.',
      buttons: ['Go back', 'Discard changes'],
      defaultId: GO_BACK,
      cancelId: GO_BACK,
    });
    // preventDefault() makes Electron ignore the page's objection.
    if (answer === GO_BACK) onStay();
    else event.preventDefault();
  });
}
