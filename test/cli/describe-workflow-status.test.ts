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
