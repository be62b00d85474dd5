import { describe, expect, it, vi } from 'vitest';
import { createTestHost } from '#test/support/create-test-host.ts';
import { succeed } from '#test/support/api-calls.ts';

describe('the sample of a new install', () => {
  it('[PR-1] [EN-13] ends with one unknown outcome that did happen, and is added once', async () => {
    const { dispatch } = createTestHost();
    const { workflowId, url } = await succeed(dispatch, 'practice.begin', {});
    const item = await vi.waitFor(
      async () => {
        const { items } = await succeed(dispatch, 'inbox.list', {});
        const [first] = items;
        if (first?.type !== 'unknown_effect') throw new Error('not yet');
        return first;
      },
      { timeout: 20_000 },
    );
    expect(item).toMatchObject({ workflowId, title: 'Three ropes' });
    // The practice page shows that the effect happened.
    const page = await (await fetch(url)).text();
    expect(page).toContain('rope');
    expect((await succeed(dispatch, 'practice.begin', {})).workflowId).toBe(workflowId);
  });
});
