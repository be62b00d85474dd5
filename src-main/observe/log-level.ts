// The level of the host's log: HOLDFAST_LOG_LEVEL, else the person's setting, else `info`. A setting
// takes effect at once.
import type { Logger } from 'pino';
import { z } from 'zod';
import { StartError } from '#main/platform/start-error.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { DEFAULT_LOG_LEVEL, LOG_LEVELS, type LogLevelName } from '#shared/log-levels.ts';

const SETTING = 'log_level';
const levelSchema = z.enum(LOG_LEVELS);
const settingSchema = z.object({ level: levelSchema });

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `StartError` for an unknown level. */
export function logLevelOf(env: Environment): LogLevelName | null {
  const given = env['HOLDFAST_LOG_LEVEL'];
  if (!given) return null;
  const level = levelSchema.safeParse(given);
  if (level.success) return level.data;
  throw new StartError(
    'bad_setting',
    `HOLDFAST_LOG_LEVEL is "${given.slice(0, 80)}", but must be one of ${LOG_LEVELS.join(', ')}. Nothing was started. Correct it or remove it.`,
  );
}

export class LogLevel {
  readonly #log: Logger;
  readonly #settings: SettingsStore;
  readonly #file: string;
  readonly #fromEnvironment: LogLevelName | null;

  constructor(options: {
    readonly log: Logger;
    readonly settings: SettingsStore;
    readonly file: string;
    readonly fromEnvironment: LogLevelName | null;
  }) {
    this.#log = options.log;
    this.#settings = options.settings;
    this.#file = options.file;
    this.#fromEnvironment = options.fromEnvironment;
    this.#apply();
  }

  get view(): CallOutput<'log.get'> {
    return {
      level: this.#level,
      isFromEnvironment: this.#fromEnvironment !== null,
      file: this.#file,
    };
  }

  choose(level: LogLevelName): void {
    this.#settings.set(SETTING, { level });
    this.#apply();
  }

  get #level(): LogLevelName {
    const chosen = settingSchema.safeParse(this.#settings.get(SETTING));
    return this.#fromEnvironment ?? chosen.data?.level ?? DEFAULT_LOG_LEVEL;
  }

  #apply(): void {
    // A log without a file stays silent.
    if (this.#log.level !== 'silent') this.#log.level = this.#level;
  }
}
