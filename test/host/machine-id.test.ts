// The id of the machine, from what each system answers.
import { describe, expect, it } from 'vitest';
import { machineId, type MachineIdSources } from '#main/platform/machine-id.ts';

function sources(over: Partial<MachineIdSources>): MachineIdSources {
  const unexpected = (): never => {
    throw new Error('This system was not to be asked.');
  };
  return { platform: 'linux', readText: unexpected, run: unexpected, ...over };
}

const IOREG = `+-o J314sAP  <class IOPlatformExpertDevice, id 0x100000227, registered>
    {
      "IOPlatformSerialNumber" = "C02XXXXXXXXX"
      "IOPlatformUUID" = "1B2C3D4E-0000-1111-2222-333344445555"
    }`;
const REG = `
HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography
    MachineGuid    REG_SZ    6f9619ff-8b86-d011-b42d-00c04fc964ff

`;

describe('the id of the machine', () => {
  it('[DK-8] comes from a file on Linux; there is none if the file is missing, empty or not set up', () => {
    const read = (text: string): string | null => machineId(sources({ readText: () => text }));
    expect(read('3d1219c7c4c5404aaa1f6d2a48adfda4\n')).toBe('3d1219c7c4c5404aaa1f6d2a48adfda4');
    expect([read(''), read('\n'), read('uninitialized\n')]).toEqual([null, null, null]);
    expect(machineId(sources({}))).toBe(null);
  });

  it('[DK-8] is the platform UUID on macOS', () => {
    const run = (command: string): string => (command.endsWith('ioreg') ? IOREG : '');
    const platform = 'darwin';
    expect(machineId(sources({ platform, run }))).toBe('1B2C3D4E-0000-1111-2222-333344445555');
    expect(machineId(sources({ platform, run: () => '' }))).toBe(null);
  });

  it('[DK-8] is the MachineGuid on Windows', () => {
    const run = (command: string): string => (command === 'reg' ? REG : '');
    const platform = 'win32';
    expect(machineId(sources({ platform, run }))).toBe('6f9619ff-8b86-d011-b42d-00c04fc964ff');
    expect(machineId(sources({ platform }))).toBe(null);
  });
});
