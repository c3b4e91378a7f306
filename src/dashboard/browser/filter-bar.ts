/**
 * Completes what is typed into the filter of a list: fields, and the values that the page offers (`parts/filter/filter-bar.tsx`).
 * A list box under the field, by keys or a click; Enter without a choice filters, as without scripts.
 */
const MOST = 8;

type Choice = { text: string; hint: string };

export function completeFilters(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form.filter')) start(form);
}

function start(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[name=q]');
  const offered = choicesIn(form);
  if (input === null || offered.length === 0) return;
  const list = document.createElement('ul');
  list.id = 'filter-completions';
  list.className = 'completions';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Completions');
  list.hidden = true;
  input.after(list);
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-autocomplete', 'list'],
    ['aria-controls', list.id],
    ['aria-expanded', 'false'],
  ] as const)
    input.setAttribute(name, value);
  let chosen = -1;

  const options = () => [...list.querySelectorAll<HTMLElement>('[role=option]')];
  const close = (): void => show([]);
  const mark = (next: number): void => {
    chosen = next;
    for (const [n, option] of options().entries()) option.setAttribute('aria-selected', String(n === chosen));
    const option = options()[chosen];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
  };
  function show(choices: readonly Choice[]): void {
    list.replaceChildren(...choices.map(optionOf));
    list.hidden = choices.length === 0;
    input!.setAttribute('aria-expanded', String(!list.hidden));
    mark(-1);
  }
  const take = (option: HTMLElement): void => {
    const text = option.dataset['text']!;
    const { start, end } = tokenAt(input);
    // After a field comes its value; after a whole term the next one.
    const done = text.endsWith(':') ? text : `${text} `;
    input.setRangeText(done, start, end, 'end');
    input.focus();
    if (text.endsWith(':')) complete();
    else close();
  };
  const complete = (): void => show(matching(offered, tokenAt(input).text));

  input.addEventListener('input', complete);
  input.addEventListener('blur', close);
  // Before the field loses the focus.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    const option = (event.target as Element).closest<HTMLElement>('[role=option]');
    if (option !== null) take(option);
  });
  input.addEventListener('keydown', (event) => {
    const count = options().length;
    if (event.key === 'ArrowDown' && list.hidden) complete();
    else if (event.key === 'ArrowDown' && count > 0) mark((chosen + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) mark(chosen <= 0 ? count - 1 : chosen - 1);
    else if (event.key === 'Escape' && count > 0) close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== -1) take(options()[chosen]!);
    else return;
    event.preventDefault();
  });
}

/** Every field, and every term that has a button. */
function choicesIn(form: HTMLFormElement): Choice[] {
  const fields = [...form.querySelectorAll<HTMLElement>('dt[data-field]')].map((field) => ({
    text: `${field.dataset['field']}:`,
    hint: field.querySelector('span')?.textContent ?? '',
  }));
  const terms = [...form.querySelectorAll<HTMLButtonElement>('button[name=add]')].map(({ value }) => ({
    text: value,
    hint: '',
  }));
  return [...fields, ...terms];
}

/** Those that begin so, then those that have it as a part; of a text that says nothing yet, the fields. */
function matching(choices: readonly Choice[], typed: string): Choice[] {
  const text = typed.toLowerCase();
  if (text === '') return choices.filter((each) => each.text.endsWith(':')).slice(0, MOST);
  const begins = choices.filter((each) => each.text.toLowerCase().startsWith(text));
  const has = choices.filter((each) => each.text.toLowerCase().includes(text) && !begins.includes(each));
  return [...begins, ...has].filter((each) => each.text.toLowerCase() !== text).slice(0, MOST);
}

/** The term at the cursor: from the last space outside of quotes. */
function tokenAt(input: HTMLInputElement): { text: string; start: number; end: number } {
  const end = input.selectionStart ?? input.value.length;
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < end; at += 1) {
    const sign = input.value[at]!;
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(sign)) start = at + 1;
  }
  return { text: input.value.slice(start, end), start, end };
}

function optionOf({ text, hint }: Choice, n: number): HTMLElement {
  const option = document.createElement('li');
  option.id = `filter-completion-${n}`;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  option.dataset['text'] = text;
  option.dir = 'auto';
  option.textContent = text;
  if (hint !== '') {
    const more = document.createElement('span');
    more.className = 'soft small';
    more.textContent = ` ${hint}`;
    option.append(more);
  }
  return option;
}
