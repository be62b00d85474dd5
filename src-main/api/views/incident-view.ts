// API view of an incident: what each device did, and what to do about it.
import type { Engine } from '#main/engine/engine.ts';
import type { Incident } from '#main/store/tables/incidents.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { DECISION_WORDS, EFFECT_WORDS } from '#shared/decision-words.ts';
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
    ...describeIncident(engine, incident),
    sides: sidesOf(engine, incident),
  };
}

function describeIncident(
  engine: Engine,
  { kind, about }: Incident,
): { summary: string; advice: string } {
  switch (kind) {
    case 'double_effect':
      if (!happenedTwice(engine.context.stores.incidents.ofEffect(about))) {
        return {
          summary:
            'Two devices sent the same effect, and the outcome of one is unknown. It may have happened twice.',
          advice:
            'Check whether it happened twice and undo the extra one, then acknowledge this. Take a workflow over only when the other device is gone.',
        };
      }
      return {
        summary: 'Two devices sent the same effect. It happened twice.',
        advice:
          'Compare both results and undo the extra one, then acknowledge this. Take a workflow over only when the other device is gone.',
      };
    case 'double_run':
      return {
        summary: 'Two devices processed the same event.',
        advice:
          'Compare what both published and correct what should not be there, then acknowledge this.',
      };
    case 'epoch_tie':
      return {
        summary: `Two devices claimed this workflow at the same time (epoch ${about}). One of them runs it now.`,
        advice:
          'If both sent an effect, there is a separate incident for it. Review what they did, then acknowledge this.',
      };
    case 'late_finding':
      return {
        summary: 'This effect was settled, but its device found a different outcome.',
        advice:
          'The decision remains. Check which outcome is true, correct what followed from it, then acknowledge this.',
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
          : { ...NO_CALL, deviceId, epoch, handlerRunId: runId, status: 'committed', at: endedAt };
      });
    }
    case 'epoch_tie':
      return stores.ownership
        .claims(workflowId)
        .filter(({ epoch }) => String(epoch) === about)
        .map(({ deviceId, epoch, claimedAt, how }) => ({
          ...NO_CALL,
          deviceId,
          epoch,
          status: how,
          at: claimedAt,
        }));
    default:
      return unreachable(kind);
  }
}

const NO_CALL = { handlerRunId: null, tool: null, params: null, result: null };

function bothOf(mutation: Mutation): Side[] {
  const { made, recovered, taken, stateOfMaker, deviceId, epoch } = mutation;
  const found = recovered && isDecided(recovered) ? made : stateOfMaker;
  const decided = [recovered, taken].flatMap((state) => state ?? []).filter(isDecided);
  return [
    sideOf(mutation, found, deviceId, epoch),
    ...decided.map((state) => sideOf(mutation, state, null, epoch)),
  ];
}

function isDecided(state: Mutation['state']): boolean {
  return 'resolved' in state && state.resolved !== undefined;
}

/** `deviceId` is null for a person's decision, or for a resend after the device was gone. */
function sideOf(
  { call, handlerRunId, updatedAt }: Mutation,
  state: Mutation['state'],
  deviceId: string | null,
  epoch: number,
): Side {
  const resolved =
    'resolved' in state && state.resolved ? `, decided: ${DECISION_WORDS[state.resolved.by]}` : '';
  return {
    deviceId,
    epoch,
    handlerRunId,
    tool: call && `${call.toolNamespace}.${call.toolMethod}`,
    params: call?.params ?? null,
    status: `${EFFECT_WORDS[state.status]}${resolved}`,
    result: state.status === 'applied' ? state.result : null,
    at: updatedAt,
  };
}
