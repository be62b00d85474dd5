import { expect, test } from 'vitest';
import { describeWorkflowStatus } from '#main/cli/workflows/describe-workflow-status.ts';
import { aWorkflow } from '#test/renderer/fake-host.ts';

test('[OW-17] list says that a workflow waits for its new owner, and for which one', () => {
  const owner = {
    state: 'released',
    deviceId: 'd',
    isThisDevice: true,
    epoch: 1,
    toDeviceId: 'abcdefgh-laptop',
  } as const;
  const labelOf = (id: string | null): string => `"${id}"`;
  expect(describeWorkflowStatus(aWorkflow('w', { owner }), labelOf)).toBe(
    'run by no device: waits for "abcdefgh-laptop"',
  );
  expect(describeWorkflowStatus(aWorkflow('w', {}), labelOf)).toBe('active');
});

test('[CL-9] list names the device that runs a paused workflow, except on that device', () => {
  const labelOf = (id: string | null): string => `"${id}"`;
  const owned = { state: 'owned', deviceId: 'desk', epoch: 1, toDeviceId: null } as const;
  const statusWhere = (isThisDevice: boolean): string =>
    describeWorkflowStatus(
      aWorkflow('w', { status: 'paused', owner: { ...owned, isThisDevice } }),
      labelOf,
    );
  expect(statusWhere(false)).toBe('paused (run by "desk")');
  expect(statusWhere(true)).toBe('paused');
});

test('[IS-2] list says that a workflow is held, and where the reason is', () => {
  const workflow = aWorkflow('w', { isBusy: true, heldBecause: 'An event can’t be read.' });
  expect(describeWorkflowStatus(workflow, (id) => `"${id}"`)).toBe('held (holdfast inbox)');
});

test('[OH-6] list says for which host a workflow waits, and until when', () => {
  const labelOf = (id: string | null): string => `"${id}"`;
  const until = new Date(2026, 0, 2, 14, 5).getTime();
  const waitsFor = [
    { handler: 'send', host: 'api.example.org', until, since: 1, isNetwork: false },
  ];
  const status = (more: object): string =>
    describeWorkflowStatus(aWorkflow('w', { waitsFor, ...more }), labelOf);
  expect(status({})).toBe('waiting for api.example.org until 2026-01-02 14:05:00');
  expect(status({ isBusy: true })).toBe('running');
  expect(status({ status: 'paused' })).toBe('paused');
});

test('[OF-7] list says that a workflow waits for a host or for the network, and since when', () => {
  const labelOf = (id: string | null): string => `"${id}"`;
  const since = new Date(2026, 0, 2, 14, 5).getTime();
  const status = (isNetwork: boolean): string => {
    const wait = { handler: 'send', host: 'api.example.org', until: null, since, isNetwork };
    return describeWorkflowStatus(aWorkflow('w', { waitsFor: [wait] }), labelOf);
  };
  expect(status(false)).toBe('waiting for api.example.org since 2026-01-02 14:05:00');
  expect(status(true)).toBe('waiting for network since 2026-01-02 14:05:00');
});
