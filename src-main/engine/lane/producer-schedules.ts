// The schedule rows of one workflow's producers: created from the active version, advanced by runs.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { firstSlot, type Due } from '#main/engine/lane/schedules.ts';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';

/** Only a new or changed schedule gets a new next time. */
export function syncSchedules(
  { stores, store }: EngineContext,
  workflowId: string,
  { producers }: HandlerConfig,
): void {
  const { producerSchedules } = stores;
  const known = new Map(producerSchedules.of(workflowId).map((row) => [row.producer, row]));
  for (const [producer, { schedule }] of Object.entries(producers)) {
    const row = known.get(producer);
    known.delete(producer);
    if (row && JSON.stringify(row.schedule) === JSON.stringify(schedule)) continue;
    producerSchedules.set({
      workflowId,
      producer,
      schedule: schedule as Json,
      nextRunAt: firstSlot(schedule, store.clock.now()),
      lastSlotAt: row?.lastSlotAt ?? null,
    });
  }
  for (const producer of known.keys()) producerSchedules.remove(workflowId, producer);
}

export function advanceSchedule(
  { stores }: EngineContext,
  workflowId: string,
  producer: string,
  { slot, next }: Pick<Due, 'slot' | 'next'>,
): void {
  const { producerSchedules } = stores;
  const known = producerSchedules.of(workflowId).find((row) => row.producer === producer);
  if (!known) return;
  producerSchedules.set({ ...known, nextRunAt: next, lastSlotAt: slot ?? known.lastSlotAt });
}
