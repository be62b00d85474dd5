// Handlers of desktop settings, and of the calls behind "Pause all" and "Resume all" in the tray.
import type { Handlers } from '#main/api/dispatch.ts';
import type { Engine } from '#main/engine/engine.ts';
import { writeDesktopSettings, readDesktopSettings } from '#main/api/views/desktop-settings.ts';
import type { Desktop } from '#main/platform/desktop.ts';
import { PAUSED_WITH_ALL, type desktopContract, type DesktopView } from '#shared/api/desktop.ts';
import { ApiError } from '#shared/api/errors.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

type DesktopHandlers = Pick<Handlers, keyof typeof desktopContract>;

export function createDesktopHandlers(
  engine: Engine,
  desktop: Desktop | undefined,
  dataDir: string,
): DesktopHandlers {
  const { settings } = engine.context.stores;
  const view = (available: Desktop): DesktopView => ({
    startAtLogin: available.startAtLogin.isOn(),
    startAtLoginProblem: available.startAtLogin.problem,
    notificationsProblem: available.notificationsProblem,
    ...readDesktopSettings(settings),
  });
  const requireDesktop = (): Desktop => {
    if (desktop) return desktop;
    throw new ApiError({
      type: 'not_found',
      message: 'This host runs without a desktop. Nothing was changed. Use the desktop app.',
    });
  };
  return {
    'desktop.get': () => ({ desktop: desktop ? view(desktop) : null }),
    'desktop.set': ({ startAtLogin, ...changes }) => {
      const available = requireDesktop();
      if (startAtLogin !== undefined) setStartAtLogin(available, startAtLogin);
      const before = readDesktopSettings(settings);
      writeDesktopSettings(settings, {
        notifications: changes.notifications ?? before.notifications,
        keepRunning: changes.keepRunning ?? before.keepRunning,
      });
      return view(available);
    },
    'desktop.openFolder': async () => {
      await requireDesktop()
        .openFolder(dataDir)
        .catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          throw new ApiError({
            type: 'conflict',
            message: `Could not open the folder: ${why}. Its path is ${dataDir}.`,
          });
        });
      return {};
    },
    'workflows.pauseAll': () => ({ paused: pauseAll(engine) }),
    'workflows.resumeAll': () => ({ resumed: resumeAll(engine) }),
  };
}

function setStartAtLogin({ startAtLogin }: Desktop, isOn: boolean): void {
  const conflict = (why: string): ApiError =>
    new ApiError({ type: 'conflict', message: `${why} Nothing was changed.` });
  if (startAtLogin.problem !== null) throw conflict(startAtLogin.problem);
  try {
    startAtLogin.set(isOn);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw conflict(`Could not change start at login: ${why}.`);
  }
}

function pauseAll(engine: Engine): number {
  const running = ownedWorkflows(engine).filter(({ status }) => status === 'active');
  for (const { id } of running) {
    engine.decisions.submit(id, { kind: 'pause', reason: PAUSED_WITH_ALL });
  }
  return running.length;
}

/** Resumes only workflows paused by "Pause all". Others were paused individually, for a reason. */
function resumeAll(engine: Engine): number {
  const paused = ownedWorkflows(engine).filter(
    ({ status, statusReason }) => status === 'paused' && statusReason === PAUSED_WITH_ALL,
  );
  for (const { id } of paused) engine.decisions.submit(id, { kind: 'resume' });
  return paused.length;
}

export function ownedWorkflows(
  engine: Engine,
): { id: string; status: string; statusReason: string | null }[] {
  const { workflows } = engine.context.stores;
  const found: { id: string; status: string; statusReason: string | null }[] = [];
  let after: string | undefined;
  do {
    const page = workflows.list({ after, limit: MAX_PAGE_SIZE });
    found.push(...page.workflows.filter(({ id }) => engine.ownership.owns(id)));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
