/**
 * Ctrl-K (or Cmd-K) opens a search over everything, and `?` the list of keys. The search is the page of the head's form, of
 * which its results are shown: without scripts, the form leads to that page.
 */
const WAIT_MS = 120;

export function startPalette(): void {
  const form = document.querySelector<HTMLFormElement>('form.search-all');
  if (form === null) return;
  const dialog = document.createElement('dialog');
  dialog.className = 'palette';
  document.body.append(dialog);
  const palette = openSearch(dialog, form.action);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    palette(form.querySelector('input')?.value ?? '');
  });
  form.querySelector('input')?.addEventListener('click', () => palette(''));
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      palette('');
      return;
    }
    const target = event.target as HTMLElement;
    if (event.key !== '?' || target.closest('input, textarea, select') !== null) return;
    showKeys(dialog);
  });
}

function openSearch(dialog: HTMLDialogElement, action: string): (text: string) => void {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Projects, runs, tests, causes…';
  input.setAttribute('aria-label', 'Search everything');
  const found = document.createElement('div');
  found.setAttribute('role', 'status');
  let timer = 0;
  let asked = 0;

  async function search(): Promise<void> {
    const number = (asked += 1);
    const url = new URL(action);
    url.searchParams.set('q', input.value);
    const answer = await fetch(url).catch(() => null);
    // A later answer counts, whichever comes first.
    if (number !== asked) return;
    if (answer === null || !answer.ok) {
      found.textContent = 'The server did not answer.';
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    found.replaceChildren(...(page.querySelector('.found')?.childNodes ?? []));
  }

  const links = () => [...found.querySelectorAll('a')];
  input.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void search(), WAIT_MS);
  });
  dialog.addEventListener('keydown', (event) => {
    if (!dialog.contains(input)) return;
    const at = links().indexOf(document.activeElement as HTMLAnchorElement);
    switch (event.key) {
      case 'ArrowDown':
        links()[at + 1]?.focus();
        break;
      case 'ArrowUp':
        (links()[at - 1] ?? input).focus();
        break;
      case 'Enter':
        if (at === -1) links()[0]?.click();
        else return;
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  return (text) => {
    dialog.replaceChildren(input, found);
    found.replaceChildren();
    if (!dialog.open) dialog.showModal();
    input.value = text;
    input.focus();
    if (text !== '') void search();
  };
}

const keys = [
  ['Ctrl K', 'search everything'],
  ['/', 'the search of this page'],
  ['j  k', 'the next and the former row, or failure'],
  ['f', 'the next failure'],
  ['Enter', 'open the selected row'],
  ['a', 'the next attempt of a failure'],
  ['m', 'mark a failure as known'],
  ['c', 'copy a failure as Markdown'],
  ['1  2  3  4', 'compare pictures: difference, slider, side by side, blink'],
  ['?', 'these keys'],
  ['Esc', 'close'],
] as const;

function showKeys(dialog: HTMLDialogElement): void {
  const list = document.createElement('dl');
  for (const [key, what] of keys) {
    const [term, detail] = [document.createElement('dt'), document.createElement('dd')];
    term.append(Object.assign(document.createElement('kbd'), { textContent: key }));
    detail.textContent = what;
    list.append(term, detail);
  }
  dialog.replaceChildren(Object.assign(document.createElement('h2'), { textContent: 'Keys' }), list);
  if (!dialog.open) dialog.showModal();
}
