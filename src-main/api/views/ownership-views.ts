// API views of a workflow's owner and of its unfinished runs on other devices.
import { toMutationView } from '#main/api/views/handler-run-views.ts';
import { shownRows } from '#main/api/views/shown-rows.ts';
import { fateAfterTakeover, type Adopted } from '#main/engine/ownership/adopt-foreign-runs.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { OpenThere, OwnerView } from '#shared/api/ownership.ts';

export function toOwnerView(engine: Engine, workflowId: string): OwnerView {
  const { stores, store } = engine.context;
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type === 'nobody') {
    return { state: 'nobody', deviceId: null, isThisDevice: false, epoch: 0, toDeviceId: null };
  }
  const { deviceId, epoch } = ownership.claim;
  const handingOverTo = engine.ownership.handingOverTo(workflowId);
  const owner = { deviceId, epoch, isThisDevice: deviceId === store.deviceId };
  if (ownership.type === 'released') {
    return { state: 'released', ...owner, toDeviceId: ownership.toDeviceId };
  }
  return {
    state: handingOverTo === null ? 'owned' : 'handing_over',
    ...owner,
    toDeviceId: handingOverTo,
  };
}

/** Unfinished runs that a take-over would adopt, as far as this device knows. */
export function openRunsElsewhere(engine: Engine, workflowId: string): OpenThere[] {
  const { stores, store } = engine.context;
  const elsewhere = stores.handlerRuns
    .open(workflowId)
    .filter(({ deviceId }) => deviceId !== store.deviceId);
  return shownRows(engine, elsewhere, (run) =>
    toOpenRunView(engine, {
      run,
      mutation: stores.mutations.ofRun(run.id) ?? null,
      fate: fateAfterTakeover(engine.context, run),
    }),
  );
}

export function toOpenRunView(engine: Engine, { run, mutation, fate }: Adopted): OpenThere {
  const { ui } = (run.prepareResult ?? {}) as { ui?: { title?: string } };
  return {
    handlerRunId: run.id,
    handlerName: run.handlerName,
    title: ui?.title ?? null,
    deviceId: run.deviceId,
    phase: run.state.phase,
    fate,
    mutation: mutation && toMutationView(engine, mutation),
  };
}
