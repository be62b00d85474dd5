import { describe, expect, it } from 'vitest';
import { labelDevices, matchDevice } from '#shared/device-names.ts';

const desk = { id: 'aaaa1111aaaa1111', name: 'Desk' };
const vm = { id: 'bbbb1111bbbb1111', name: 'vm' };
const otherVm = { id: 'bbbb2222bbbb2222', name: 'vm' };
const DEVICES = [desk, vm, otherVm];

describe('the label of a device', () => {
  it('[DV-8] is its name, with the beginning of its id only if another has the same name', () => {
    expect([...labelDevices(DEVICES).values()]).toEqual(['Desk', 'vm (bbbb1111)', 'vm (bbbb2222)']);
  });
});

describe('the device that a person means', () => {
  it.each([
    ['its full id', vm.id, vm],
    ['its name', 'Desk', desk],
    ['its label', 'vm (bbbb2222)', otherVm],
    ['the beginning of its id', 'bbbb2', otherVm],
  ])('[AP-7] is found by %s', (_, text, device) => {
    expect(matchDevice(DEVICES, text)).toEqual({ type: 'one', device });
  });

  it.each([
    ['a name', 'vm'],
    ['the beginning of an id', 'bbbb'],
  ])('[AP-7] is not guessed if %s fits two', (_, text) => {
    expect(matchDevice(DEVICES, text)).toEqual({ type: 'many', devices: [vm, otherVm] });
  });

  it.each(['', 'Attic'])('[AP-7] is none for %j', (text) => {
    expect(matchDevice(DEVICES, text)).toEqual({ type: 'none' });
  });

  it('[AP-7] is the one with that name, also if an id begins with it', () => {
    const named = { id: 'cccc', name: 'bbbb1' };
    expect(matchDevice([...DEVICES, named], 'bbbb1')).toEqual({ type: 'one', device: named });
  });
});
