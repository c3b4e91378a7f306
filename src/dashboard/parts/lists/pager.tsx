/** The pages of a list: links to them, and what a page shows where it has no rows. The number of the page stands in the URL. */
import type { ComponentChildren } from 'preact';
import { number } from '../outcome.js';

/** The same view with other parameters: the rest of the URL stays. A parameter without a value is left out. */
export function withParams(
  url: URL,
  params: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, String(value));
  }
  return next.pathname + next.search;
}

/** The page that the URL asks for, from 1. */
export function pageOf(url: URL, name = 'page'): number {
  const text = url.searchParams.get(name) ?? '1';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** Which page of a list is shown. */
export type ListPage = {
  /** Of the page itself: the answer to a form has a path of its own. */
  url: URL;
  page: number;
  perPage: number;
  /** Of all pages. */
  total: number;
  /** The parameter that has the number of the page. */
  name?: string;
};

/** Around the rows of a page. Only a list without rows is called empty: a page past the end says that it is. */
export function Paged({
  list: { url, page, perPage, total, name = 'page' },
  shown,
  empty,
  children,
}: {
  list: ListPage;
  /** The rows of this page. */
  shown: number;
  /** For a list without rows. */
  empty: ComponentChildren;
  children: ComponentChildren;
}) {
  if (shown > 0) return <>{children}</>;
  if (total === 0) return <>{empty}</>;
  const last = lastOf({ perPage, total });
  return (
    <p class="panel empty">
      Page {number(page)} is past the end of this list.{' '}
      <a href={withParams(url, { [name]: last === 1 ? null : last })}>Show the last page</a>
    </p>
  );
}

function lastOf({ perPage, total }: Pick<ListPage, 'perPage' | 'total'>): number {
  return Math.max(1, Math.ceil(total / perPage));
}

/** Nothing for a list of one page, and for a page past the end. `label` tells the pages of two lists apart. */
export function Pager({
  url,
  page,
  perPage,
  total,
  name = 'page',
  label = 'Pages',
}: ListPage & { label?: string }) {
  const last = lastOf({ perPage, total });
  if (last === 1 || page > last) return null;
  const from = (page - 1) * perPage + 1;
  return (
    <nav class="pager" aria-label={label}>
      {page > 1 && (
        <a rel="prev" href={withParams(url, { [name]: page === 2 ? null : page - 1 })}>
          Previous
        </a>
      )}
      <span>
        {number(from)}–{number(Math.min(page * perPage, total))} of {number(total)}
      </span>
      {page < last && (
        <a rel="next" href={withParams(url, { [name]: page + 1 })}>
          Next
        </a>
      )}
    </nav>
  );
}
