// An error at start-up, with a `type` for programs and a `message` for people.

export type StartErrorType =
  | 'in_use'
  | 'damaged'
  | 'newer_version'
  | 'migration_failed'
  | 'not_writable'
  | 'disk_full'
  | 'port_in_use'
  | 'bad_setting'
  | 'bad_backup'
  | 'bad_export';

export class StartError extends Error {
  readonly type: StartErrorType;

  constructor(type: StartErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.type = type;
  }
}
