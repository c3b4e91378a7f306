/** Surface B's lists: by page number, with a total. */
import type { Call } from '../route.js';

export type Page = { page: number; per_page: number; offset: number };

/** The page that was asked for; the schema has filled in the defaults. */
export function pageOf({ query }: Pick<Call, 'query'>): Page {
  const page = Number(query['page']);
  const per_page = Number(query['per_page']);
  // A page so far behind the end that its offset is no exact number is as empty as any other there.
  return { page, per_page, offset: Math.min((page - 1) * per_page, Number.MAX_SAFE_INTEGER) };
}

export function paged<T>(data: readonly T[], total: number, { page, per_page }: Page) {
  return { data, pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } };
}
