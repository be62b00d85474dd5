import { Option } from 'commander';

/** `--data` of every command that uses a data folder; resolved by `chooseDataDir`. */
export function dataOption(): Option {
  return new Option(
    '--data <dir>',
    "Data folder (default: HOLDFAST_DATA, or the platform's app data folder)",
  );
}
