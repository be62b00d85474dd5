// Fields shared by several parts of the contract.
import { z } from 'zod';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH, MAX_PAGE_SIZE, PAGE_SIZE } from '#shared/limits.ts';

export const id = z.string().min(1).max(MAX_ID_LENGTH);
export const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(MAX_NAME_LENGTH, `must be at most ${MAX_NAME_LENGTH} characters`);
export const millis = z.int().min(0);
/** In microdollars. */
export const cost = z.int().min(0);
export const page = {
  /** The `next` of the previous page. */
  after: z.string().max(MAX_ID_LENGTH).optional(),
  limit: z.int().min(1).max(MAX_PAGE_SIZE).default(PAGE_SIZE),
};
/** `waiting`: another device runs the workflow and carries out the request after a sync. */
export const waitingOutput = z.strictObject({ waiting: z.boolean().optional() });
export const next = z.string().nullable();
