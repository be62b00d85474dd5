import { Option } from 'commander';

/** Every command that touches data takes the same option, read by `chooseDataDir`. */
export function dataOption(): Option {
  return new Option(
    '--data <dir>',
    "data folder (default: HOLDFAST_DATA, or the platform's place for app data)",
  );
}
