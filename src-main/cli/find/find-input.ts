// Finds an input by its id, the id of its automation run, or an id prefix.
import type { HostClient } from '#main/cli/host-client.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export async function findInput(host: HostClient, text: string): Promise<InputDetail | undefined> {
  const exact = await getInput(host, text);
  if (exact || !/^[0-9a-f]{4,}$/.test(text)) return exact;
  const { inputs } = await host.call('inputs.list', { limit: MAX_PAGE_SIZE });
  const [only, another] = inputs.filter(({ id }) => id.startsWith(text));
  if (another) {
    throw new ApiError({
      type: 'not_found',
      message: `More than one input id begins with "${text}". Use more of the id.`,
    });
  }
  return only && getInput(host, only.id);
}

async function getInput(host: HostClient, inputId: string): Promise<InputDetail | undefined> {
  try {
    return await host.call('inputs.get', { inputId });
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found') return undefined;
    throw error;
  }
}
