/**
 * `<log-view data-src data-size>`: reads a log in pieces of at most 256 kB, when its place is opened: the first one, the
 * next ones and the last one by request. The search shows the lines of what was read that contain a text.
 */
const PIECE = 256 * 1_024;

class LogView extends HTMLElement {
  #read: { from: number; to: number; text: string }[] = [];
  #lines = document.createElement('pre');
  #note = document.createElement('p');
  #search = document.createElement('input');
  #buttons = document.createElement('p');

  connectedCallback(): void {
    if (this.#lines.isConnected) return;
    this.#lines.className = 'block';
    this.#lines.tabIndex = 0;
    this.#note.className = 'soft small';
    this.#note.setAttribute('role', 'status');
    this.#buttons.className = 'actions small';
    this.#search.type = 'search';
    this.#search.placeholder = 'Show the lines that contain…';
    this.#search.setAttribute('aria-label', `Search in ${this.dataset['label'] ?? 'the log'}`);
    this.#search.addEventListener('input', () => this.#show());
    this.prepend(this.#search, this.#lines, this.#note, this.#buttons);
    const details = this.closest('details');
    details?.addEventListener('toggle', () => {
      if (details.open && this.#read.length === 0) void this.#load(0);
    });
    if (details === null || details.open) void this.#load(0);
  }

  get #size(): number {
    return Number(this.dataset['size'] ?? 0);
  }

  async #load(from: number): Promise<void> {
    const to = Math.min(from + PIECE, this.#size);
    this.#note.textContent = 'Reading…';
    try {
      const range = { Range: `bytes=${from}-${to - 1}` };
      const answer = await fetch(this.dataset['src'] ?? '', { headers: range });
      if (answer.status !== 206 && !(answer.ok && to - from === this.#size))
        throw new Error(String(answer.status));
      const text = new TextDecoder().decode(await answer.arrayBuffer());
      this.#read = [...this.#read, { from, to, text }].sort((one, other) => one.from - other.from);
      this.#show();
    } catch {
      this.#note.textContent = 'The log cannot be read here. Open the file instead.';
    }
  }

  #show(): void {
    const wanted = this.#search.value.toLowerCase();
    const texts = this.#read.map(({ from, text }, n) => {
      const gap = n > 0 && this.#read[n - 1]!.to < from ? '\n⋯\n' : '';
      return gap + plain(text);
    });
    const lines = texts.join('').split('\n');
    const shown = wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
    this.#lines.textContent = shown.join('\n');
    const bytes = this.#read.reduce((sum, { from, to }) => sum + to - from, 0);
    const all = bytes >= this.#size ? 'the whole log' : `${kB(bytes)} of ${kB(this.#size)}`;
    this.#note.textContent =
      wanted === '' ? `This is ${all}.` : `${shown.length} of ${lines.length} lines, in ${all}.`;
    this.#offer();
  }

  #offer(): void {
    const last = this.#read.at(-1);
    const gap = this.#read.find(({ to }, n) => to < (this.#read[n + 1]?.from ?? this.#size));
    this.#buttons.replaceChildren();
    if (gap === undefined) return;
    const until = this.#read.find(({ from }) => from >= gap.to)?.from ?? this.#size;
    this.#button('Read on', gap.to, until);
    if (last !== undefined && last.to < this.#size && this.#size - last.to > PIECE)
      this.#button('Read the end', this.#size - PIECE, this.#size);
  }

  #button(label: string, from: number, until: number): void {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `${label} (${kB(Math.min(PIECE, until - from))})`;
    button.addEventListener('click', () => void this.#load(from));
    this.#buttons.append(button, ' ');
  }
}

/** Without the colours of a terminal, and with signs for characters that turn the direction of a text. */
function plain(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replace(/\u001b\[[0-?]{0,60}[ -/]{0,4}[@-~]|\r(?=\n)/g, '')
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, '⟨bidi⟩')
  );
}

function kB(bytes: number): string {
  return `${Math.ceil(bytes / 1_024).toLocaleString('en')} kB`;
}

customElements.define('log-view', LogView);
