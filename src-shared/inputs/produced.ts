// Ids of inputs that producers register. Two producers that find the same item of a source share one
// input.
import { inputId } from '#shared/ids.ts';

export const PRODUCED = 'producer';

interface Produced {
  readonly source: string;
  readonly type: string;
  readonly id: string;
}

export const producedKey = ({ source, type, id }: Produced): string =>
  JSON.stringify([source, type, id]);

export const producedInputId = (workflowId: string, produced: Produced): string =>
  inputId(workflowId, PRODUCED, producedKey(produced));
