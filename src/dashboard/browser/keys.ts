/** Keys: `/` goes to the search, `j` and `k` to the next and the former row, `f` to the next failure, Enter opens it. */
export function startKeys(): void {
  const step = (selector: string, by: 1 | -1): void => {
    const rows = [...document.querySelectorAll(selector)];
    const row = selectedRow();
    const at = row === null ? -1 : rows.indexOf(row);
    const next = at === -1 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by];
    selectRow(next);
    next?.scrollIntoView({ block: 'nearest' });
  };

  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select') !== null)
      return;
    switch (event.key) {
      case '/': {
        const search = document.querySelector<HTMLInputElement>('input[type=search]');
        if (search === null) return;
        event.preventDefault();
        search.focus();
        return;
      }
      case 'j':
      case 'k':
        // There they lead to the next failure of the run.
        if (document.querySelector('nav.triage') !== null) return;
        return step('[data-row]', event.key === 'j' ? 1 : -1);
      case 'f':
        return step('[data-row=failed]', 1);
      default:
        return;
    }
  });
}

/** The page has it, and no variable: a live part may get new rows. */
export function selectedRow(): Element | null {
  return document.querySelector('[data-row][aria-selected=true]');
}

export function selectRow(row: Element | undefined): void {
  if (row === undefined) return;
  selectedRow()?.removeAttribute('aria-selected');
  row.setAttribute('aria-selected', 'true');
  row.querySelector('a')?.focus({ preventScroll: true });
}
