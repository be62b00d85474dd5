// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRefresher, type RefreshRequest } from '#renderer/stores/refresher.ts';

describe('the refresher', () => {
  const rounds: { wanted: RefreshRequest; end: () => void }[] = [];
  const round = (wanted: RefreshRequest): Promise<void> =>
    new Promise((end) => rounds.push({ wanted, end }));
  const idsOf = (index: number): string[] => [...(rounds[index]?.wanted.ids ?? [])];
  const endRound = async (): Promise<void> => {
    rounds.at(-1)?.end();
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    rounds.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  test('[UI-1] the first change starts a refresh immediately', () => {
    createRefresher(round).refreshIds(['a']);
    expect(rounds).toHaveLength(1);
    expect(idsOf(0)).toEqual(['a']);
  });

  test('[UI-1] changes during a refresh are deduplicated into one more refresh', async () => {
    const refresher = createRefresher(round);
    refresher.refreshIds(['a']);
    refresher.refreshIds(['b', 'c']);
    refresher.refreshIds(['b']);
    expect(rounds).toHaveLength(1);
    await endRound();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rounds).toHaveLength(2);
    expect(idsOf(1)).toEqual(['b', 'c']);
    await endRound();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rounds).toHaveLength(2);
  });

  test('[UI-1] refreshes are throttled unless nudged', async () => {
    const refresher = createRefresher(round);
    refresher.refreshIds(['a']);
    await endRound();
    refresher.refreshIds(['b']);
    expect(rounds).toHaveLength(1);
    refresher.refreshNow();
    expect(rounds).toHaveLength(2);
    expect(idsOf(1)).toEqual(['b']);
  });

  test('[UI-1] a stopped refresher makes no more requests', async () => {
    const refresher = createRefresher(round);
    refresher.refreshIds(['a']);
    refresher.refreshIds(['b']);
    refresher.stop();
    await endRound();
    refresher.refreshAll();
    refresher.refreshNow();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rounds).toHaveLength(1);
  });
});
