/** Parts of lists for a program: where the next part begins is a number that the answer has. */
import { jsonWithin } from '../dashboard/text/text-page.js';
import type { Given } from './tool.js';
import { ToolError } from './tool.js';

export const MOST_ITEMS = 50;

export type Part = { offset: number; limit: number };

/** @throws ToolError for an `after` that no answer had */
export function partOf({ after, limit = 20 }: Given): Part {
  if (after === undefined) return { offset: 0, limit: Number(limit) };
  if (!/^\d{1,7}$/.test(String(after)))
    throw new ToolError('after', 'after must be the `next` of an answer.');
  return { offset: Number(after), limit: Number(limit) };
}

/** The page of the API in which a part begins, and the items of it that come before. */
export function pageWith({ offset, limit }: Part): {
  query: { page: number; per_page: number };
  before: number;
} {
  return { query: { page: Math.floor(offset / limit) + 1, per_page: limit }, before: offset % limit };
}

/** A list within the bytes of an answer. `next`: what the next call takes as `after`; null at the end. */
export function listed(
  name: string,
  items: readonly object[],
  { offset }: Part,
  total: number,
  head: object = {},
): object {
  const fitting = within(head, { [name]: items });
  const end = offset + (fitting[name] as unknown[]).length;
  delete fitting['left_out'];
  return { ...fitting, total, next: end < total ? String(end) : null };
}

/** The same object, with texts and lists cut to what fits; `left_out` says how many items of each list are missing. */
export function within(
  head: object,
  lists: Readonly<Record<string, readonly unknown[]>>,
): Record<string, unknown> {
  return JSON.parse(jsonWithin(head, lists)) as Record<string, unknown>;
}
