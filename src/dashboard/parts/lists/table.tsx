/** Tables of a page. */
import type { ComponentChildren } from 'preact';
import { number } from '../outcome.js';
import { withParams } from './pager.js';
import type { Order, Sorting } from './sorting.js';

/** `sort`: what the list is sorted by where somebody follows the link in the head, first in the order `first`. */
type Column = { class: string; sort: string; first: Order };

/**
 * The titles of columns with their classes, such as `number` for one on the right. `actions` is a column with the buttons
 * of each row: only a screen reader needs its title.
 */
type ColumnsOf = Readonly<Record<string, string | Column>>;

/** A table that scrolls by itself where it is too wide. `open`: not, so that the menus in its rows are not cut. */
export function Table({
  columns,
  sorting,
  open = false,
  children,
  ...rest
}: {
  columns: ColumnsOf;
  /** How the rows are sorted now, where columns have links that sort them. */
  sorting?: Sorting;
  open?: boolean;
  class?: string;
  'aria-label'?: string;
  /** The rows. */
  children: ComponentChildren;
}) {
  return (
    <div class={open ? 'table-wrap open' : 'table-wrap'}>
      <table {...rest}>
        <Columns of={columns} {...(sorting && { sorting })} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A number in its column. A narrow page has no heads of columns, so it says there what it counts. */
export function CountCell({ of, unit }: { of: number; unit: string }) {
  return (
    <td class="number">
      {number(of)}
      <span class="narrow-only soft small"> {of === 1 ? unit : `${unit}s`}</span>
    </td>
  );
}

export function Columns({ of, sorting }: { of: ColumnsOf; sorting?: Sorting }) {
  return (
    <thead class={sorting && 'sortable'}>
      <tr>
        {Object.entries(of).map(([title, column]) => {
          if (typeof column !== 'string' && sorting !== undefined)
            return <SortableHead title={title} {...column} sorting={sorting} />;
          const kind = typeof column === 'string' ? column : column.class;
          return (
            <th scope="col" class={(kind !== 'actions' && kind) || undefined}>
              {kind === 'actions' ? <span class="visually-hidden">{title}</span> : title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** The link sorts by this column, and where the list is sorted by it, the other way round. */
function SortableHead({ title, sorting, ...column }: Column & { title: string; sorting: Sorting }) {
  const { url, sort, order } = sorting;
  const isSorted = sort === column.sort;
  const next: Order = isSorted ? (order === 'asc' ? 'desc' : 'asc') : column.first;
  return (
    <th
      scope="col"
      class={column.class || undefined}
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <a href={withParams(url, { sort: column.sort, order: next, page: null })}>
        {title}
        {isSorted && <span aria-hidden="true">{order === 'asc' ? ' ▲' : ' ▼'}</span>}
      </a>
    </th>
  );
}
