// The current time for relative times. Components with the same period share one timer, and nothing
// ticks while the page is hidden.
import { useSyncExternalStore } from 'react';

interface Ticker {
  subscribe(onTick: () => void): () => void;
  now(): number;
}

const tickers = new Map<number, Ticker>();

export function useNow(periodMs: number): number {
  const ticker = tickerOf(periodMs);
  return useSyncExternalStore(ticker.subscribe, ticker.now);
}

function tickerOf(periodMs: number): Ticker {
  const known = tickers.get(periodMs);
  if (known) return known;
  const ticker = createTicker(periodMs);
  tickers.set(periodMs, ticker);
  return ticker;
}

function createTicker(periodMs: number): Ticker {
  const listeners = new Set<() => void>();
  let time = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => {
    if (document.hidden) return;
    time = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    subscribe(onTick) {
      if (listeners.size === 0) {
        time = Date.now();
        timer = setInterval(tick, periodMs);
        document.addEventListener('visibilitychange', tick);
      }
      listeners.add(onTick);
      return () => {
        listeners.delete(onTick);
        if (listeners.size > 0) return;
        clearInterval(timer);
        document.removeEventListener('visibilitychange', tick);
      };
    },
    now: () => time,
  };
}
