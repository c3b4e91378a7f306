/** Links to the pages of a list. The number of the page stands in the URL. */
import { number } from './outcome.js';

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

export function Pager({
  url,
  page,
  perPage,
  total,
  name = 'page',
  label = 'Pages',
}: {
  url: URL;
  page: number;
  perPage: number;
  total: number;
  name?: string;
  /** Tells the pages of two lists apart. */
  label?: string;
}) {
  const last = Math.max(1, Math.ceil(total / perPage));
  if (last === 1) return null;
  const from = (page - 1) * perPage + 1;
  return (
    <nav class="pager" aria-label={label}>
      {page > 1 && (
        <a rel="prev" href={withParams(url, { [name]: page === 2 ? null : page - 1 })}>
          Previous
        </a>
      )}
      <span>
        {number(Math.min(from, total))}–{number(Math.min(page * perPage, total))} of {number(total)}
      </span>
      {page < last && (
        <a rel="next" href={withParams(url, { [name]: page + 1 })}>
          Next
        </a>
      )}
    </nav>
  );
}
