// An incident as people see it: what both sides did, and what to do about it.
import type { Engine } from '#main/engine/engine.ts';
import type { Incident } from '#main/store/tables/incidents.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { happenedTwice } from '#shared/incidents.ts';
import { unreachable } from '#shared/rejection.ts';

type IncidentItem = Extract<InboxItem, { type: 'incident' }>;
type Side = IncidentItem['sides'][number];

export function toIncidentItem(
  engine: Engine,
  incident: Incident,
): Omit<IncidentItem, 'workflowId' | 'workflowName'> {
  return {
    type: 'incident',
    at: incident.at,
    incidentId: incident.id,
    kind: incident.kind,
    ...wordsFor(engine, incident),
    sides: sidesOf(engine, incident),
  };
}

function wordsFor(engine: Engine, { kind, about }: Incident): { summary: string; advice: string } {
  switch (kind) {
    case 'double_effect':
      if (!happenedTwice(engine.context.stores.incidents.ofEffect(about))) {
        return {
          summary:
            'Two devices sent the same effect, and what became of one was left open: it may have happened twice.',
          advice:
            'Look outside whether it is there twice, and undo the one that should not be. Then acknowledge this. Take a workflow over only when the other device is gone.',
        };
      }
      return {
        summary: 'Two devices made the same effect: it happened twice.',
        advice:
          'Look at both results and undo the one that should not be. Then acknowledge this. Take a workflow over only when the other device is gone.',
      };
    case 'double_run':
      return {
        summary: 'Two devices worked on the same event, each to the end.',
        advice:
          'Compare what both published, mend what should not be there, then acknowledge this.',
      };
    case 'epoch_tie':
      return {
        summary: `Two devices claimed this workflow at the same time (epoch ${about}). One of them runs it now.`,
        advice:
          'See below whether both acted; if they did, there is an incident for each effect. Then acknowledge this.',
      };
    case 'late_finding':
      return {
        summary:
          'What was decided about this effect is not what the device that made it found out.',
        advice:
          'The decision stands. Look outside which is true, mend what followed from it, then acknowledge this.',
      };
    default:
      return unreachable(kind);
  }
}

function sidesOf(engine: Engine, { kind, about, workflowId }: Incident): Side[] {
  const { stores } = engine.context;
  switch (kind) {
    case 'double_effect':
      return stores.mutations.ofEffect(about).flatMap((mutation) => bothOf(mutation));
    case 'late_finding': {
      const mutation = stores.mutations.get(about);
      return mutation ? bothOf(mutation) : [];
    }
    case 'double_run': {
      const [eventId = '', attempt = ''] = about.split(':');
      const runs = stores.incidents.committedWith(eventId).get(Number(attempt)) ?? [];
      return runs.map(({ runId, deviceId, epoch, endedAt }) => {
        const mutation = stores.mutations.ofRun(runId);
        return mutation
          ? sideOf(mutation, mutation.state, deviceId, epoch)
          : { ...NOTHING, deviceId, epoch, handlerRunId: runId, status: 'committed', at: endedAt };
      });
    }
    case 'epoch_tie':
      return stores.ownership
        .claims(workflowId)
        .filter(({ epoch }) => String(epoch) === about)
        .map(({ deviceId, epoch, claimedAt, how }) => ({
          ...NOTHING,
          deviceId,
          epoch,
          status: how,
          at: claimedAt,
        }));
    default:
      return unreachable(kind);
  }
}

const NOTHING = { handlerRunId: null, tool: null, params: null, result: null };

function bothOf(mutation: Mutation): Side[] {
  const { made, taken, deviceId, epoch } = mutation;
  return [
    sideOf(mutation, made, deviceId, epoch),
    ...(taken && 'resolved' in taken && taken.resolved
      ? [sideOf(mutation, taken, null, epoch)]
      : []),
  ];
}

/** `deviceId` null: what a person decided, or had sent again, after the device was gone. */
function sideOf(
  { call, handlerRunId, updatedAt }: Mutation,
  state: Mutation['state'],
  deviceId: string | null,
  epoch: number,
): Side {
  const resolved = 'resolved' in state && state.resolved ? `, ${state.resolved.by}` : '';
  return {
    deviceId,
    epoch,
    handlerRunId,
    tool: call && `${call.toolNamespace}.${call.toolMethod}`,
    params: call?.params ?? null,
    status: `${state.status}${resolved}`,
    result: state.status === 'applied' ? state.result : null,
    at: updatedAt,
  };
}
