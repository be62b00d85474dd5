// The calls about the desktop, and those that the tray makes as well.
import type { Handlers } from '#main/api/dispatch.ts';
import type { Engine } from '#main/engine/engine.ts';
import { keepDesktopChoices, readDesktopChoices } from '#main/api/views/desktop-settings.ts';
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
  const view = (there: Desktop): DesktopView => ({
    startAtLogin: there.startAtLogin.isOn(),
    startAtLoginProblem: there.startAtLogin.problem,
    notificationsProblem: there.notificationsProblem,
    ...readDesktopChoices(settings),
  });
  const require = (): Desktop => {
    if (desktop) return desktop;
    throw new ApiError({
      type: 'not_found',
      message: 'This host has no desktop: only the desktop app can do this. Nothing was changed.',
    });
  };
  return {
    'desktop.get': () => ({ desktop: desktop ? view(desktop) : null }),
    'desktop.set': ({ startAtLogin, ...choices }) => {
      const there = require();
      if (startAtLogin !== undefined) setStartAtLogin(there, startAtLogin);
      const before = readDesktopChoices(settings);
      keepDesktopChoices(settings, {
        notifications: choices.notifications ?? before.notifications,
        keepRunning: choices.keepRunning ?? before.keepRunning,
      });
      return view(there);
    },
    'desktop.openFolder': async () => {
      await require()
        .openFolder(dataDir)
        .catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          throw new ApiError({
            type: 'conflict',
            message: `The folder could not be shown: ${why}. It is ${dataDir}.`,
          });
        });
      return {};
    },
    'workflows.pauseAll': () => ({ paused: pauseAll(engine) }),
    'workflows.resumeAll': () => ({ resumed: resumeAll(engine) }),
  };
}

function setStartAtLogin({ startAtLogin }: Desktop, isOn: boolean): void {
  const refuse = (why: string): ApiError =>
    new ApiError({ type: 'conflict', message: `${why} Nothing was changed.` });
  if (startAtLogin.problem !== null) throw refuse(startAtLogin.problem);
  try {
    startAtLogin.set(isOn);
  } catch (error) {
    throw refuse(`It could not be set: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function pauseAll(engine: Engine): number {
  const running = ownWorkflows(engine).filter(({ status }) => status === 'active');
  for (const { id } of running) {
    engine.ask(id, { kind: 'pause', reason: PAUSED_WITH_ALL });
  }
  return running.length;
}

/** Only those that were paused with the others: who paused one by itself had a reason. */
function resumeAll(engine: Engine): number {
  const paused = ownWorkflows(engine).filter(
    ({ status, statusReason }) => status === 'paused' && statusReason === PAUSED_WITH_ALL,
  );
  for (const { id } of paused) engine.ask(id, { kind: 'resume' });
  return paused.length;
}

export function ownWorkflows(
  engine: Engine,
): { id: string; status: string; statusReason: string | null }[] {
  const { workflows } = engine.context.stores;
  const found: { id: string; status: string; statusReason: string | null }[] = [];
  let after: string | undefined;
  do {
    const page = workflows.list({ after, limit: MAX_PAGE_SIZE });
    found.push(...page.workflows.filter(({ id }) => engine.owns(id)));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
