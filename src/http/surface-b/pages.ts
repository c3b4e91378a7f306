/** The lists of Surface B: by page number, with a total. */
import { parseEnvironmentKey, type EnvironmentKey } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import { normaliseInstant } from '../../domain/instant.js';
import { invalid } from '../../errors.js';
import { findPage, type FindCounted, type PageQuery } from '../../queries/find-page.js';
import { ok, type Call, type Reply } from '../route.js';

export type Page = { page: number; per_page: number; offset: number };

export type Listed<T> = {
  find: FindCounted<T>;
  where: PageQuery['where'];
  order: 'newest first' | 'newest last';
  /** The records that the answer shows. */
  records: (documents: readonly T[]) => readonly unknown[] | Promise<readonly unknown[]>;
};

/** Answers with the requested page, in order of creation. */
export async function listed<T>(call: Call, { find, where, order, records }: Listed<T>): Promise<Reply> {
  const page = requestedPage(call);
  const direction = order === 'newest first' ? 'descending' : 'ascending';
  const sort = { field: 'created_position', direction } as const;
  const { items, total } = await findPage(find, { where, sort, offset: page.offset, limit: page.per_page });
  return ok(paged(await records(items), total, page));
}

/** The requested page; the schema has filled in the defaults. */
export function requestedPage({ query }: Pick<Call, 'query'>): Page {
  const page = Number(query['page']);
  const per_page = Number(query['per_page']);
  // An offset beyond exact numbers lies far behind the end: the page is as empty as any other there.
  return { page, per_page, offset: Math.min((page - 1) * per_page, Number.MAX_SAFE_INTEGER) };
}

/** The same as `findPage` takes it. */
export function partOf(call: Pick<Call, 'query'>): { offset: number; limit: number } {
  const { offset, per_page: limit } = requestedPage(call);
  return { offset, limit };
}

/** @throws AppError `invalid_request` where it is not an instant */
export function instantOf({ query }: Pick<Call, 'query'>, name: string): Instant | undefined {
  const sent = query[name];
  if (sent === undefined) return undefined;
  return normaliseInstant(String(sent)) ?? invalid(`?${name}`, 'not_an_instant', 'must be an instant');
}

export function branchOf({ query }: Pick<Call, 'query'>): string | undefined {
  return query['branch'] as string | undefined;
}

/** @throws AppError `validation_failed` for a text that is no key of an environment */
export function environmentOf({ query }: Pick<Call, 'query'>): EnvironmentKey | undefined {
  const sent = query['environment'] as string | undefined;
  if (sent === undefined) return undefined;
  return parseEnvironmentKey(sent) ?? invalid('?environment', 'not_valid', 'must be like os=linux,node=22');
}

export function paged<T>(data: readonly T[], total: number, { page, per_page }: Page) {
  return { data, pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } };
}
