/** Tables of a page. */
import type { ComponentChildren } from 'preact';

/**
 * The titles of columns with their classes, such as `number` for one on the right. `actions` is a column with the buttons
 * of each row: only a screen reader needs its title.
 */
type ColumnsOf = Readonly<Record<string, string>>;

/** A table that scrolls by itself where it is too wide. `open`: not, so that the menus in its rows are not cut. */
export function Table({
  columns,
  open = false,
  children,
  ...rest
}: {
  columns: ColumnsOf;
  open?: boolean;
  class?: string;
  'aria-label'?: string;
  /** The rows. */
  children: ComponentChildren;
}) {
  return (
    <div class={open ? 'table-wrap open' : 'table-wrap'}>
      <table {...rest}>
        <Columns of={columns} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Columns({ of }: { of: ColumnsOf }) {
  return (
    <thead>
      <tr>
        {Object.entries(of).map(([title, kind]) => (
          <th scope="col" class={(kind !== 'actions' && kind) || undefined}>
            {kind === 'actions' ? <span class="visually-hidden">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
