/**
 * `<log-view data-src data-size>`: reads a log in pieces of at most 256 kB, when its place is opened: the first one, the
 * next ones and the last one by request. The search shows the lines of what was read that contain a text.
 */
const PIECE = 256 * 1_024;

/** Bytes without a gap. Pieces that touch become one range: a character may lie across the place where they meet. */
type ByteRange = { from: number; to: number; bytes: Uint8Array; text: string };

class LogView extends HTMLElement {
  #read: ByteRange[] = [];
  #isReading = false;
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
      if (details.open && this.#read.length === 0) void this.#load(0, this.#size);
    });
    if (details === null || details.open) void this.#load(0, this.#size);
  }

  get #size(): number {
    return Number(this.dataset['size'] ?? 0);
  }

  /** Reads a piece from `from` on, but nothing from `until` on: what follows there was read before. */
  async #load(from: number, until: number): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const to = Math.min(from + PIECE, until);
    this.#note.textContent = 'Reading…';
    try {
      const range = { Range: `bytes=${from}-${to - 1}` };
      const answer = await fetch(this.dataset['src'] ?? '', { headers: range });
      if (answer.status !== 206 && !(answer.ok && to - from === this.#size))
        throw new Error(String(answer.status));
      this.#add(from, new Uint8Array(await answer.arrayBuffer()));
      this.#show();
    } catch {
      this.#note.textContent = 'The log cannot be read here. Open the file instead.';
    } finally {
      this.#isReading = false;
    }
  }

  #add(from: number, bytes: Uint8Array): void {
    const to = from + bytes.length;
    const before = this.#read.find((each) => each.to === from);
    const after = this.#read.find((each) => each.from === to);
    const parts = [before?.bytes, bytes, after?.bytes].filter((part) => part !== undefined);
    const joined = {
      from: before?.from ?? from,
      to: after?.to ?? to,
      bytes: new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0)),
    };
    let at = 0;
    for (const part of parts) {
      joined.bytes.set(part, at);
      at += part.length;
    }
    const others = this.#read.filter((each) => each !== before && each !== after);
    const text = plain(textOf(joined.bytes, { isStart: joined.from === 0, isEnd: joined.to === this.#size }));
    this.#read = [...others, { ...joined, text }].sort((one, other) => one.from - other.from);
  }

  #show(): void {
    const wanted = this.#search.value.toLowerCase();
    const texts = this.#read.map(({ from, text }, n) => {
      const gap = n > 0 && this.#read[n - 1]!.to < from ? '\n⋯\n' : '';
      return gap + text;
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
    const hadFocus = this.#buttons.contains(document.activeElement);
    this.#buttons.replaceChildren();
    if (gap !== undefined) this.#offerGap(gap, last);
    // The new buttons have no focus: without this, a reader with a keyboard would begin at the top of the page again.
    if (hadFocus) (this.#buttons.querySelector('button') ?? this.#lines).focus();
  }

  #offerGap(gap: ByteRange, last: ByteRange | undefined): void {
    const until = this.#read.find(({ from }) => from >= gap.to)?.from ?? this.#size;
    this.#button('Read on', gap.to, until);
    if (last !== undefined && last.to < this.#size && this.#size - last.to > PIECE)
      this.#button('Read the end', this.#size - PIECE, this.#size);
  }

  #button(label: string, from: number, until: number): void {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `${label} (${kB(Math.min(PIECE, until - from))})`;
    button.addEventListener('click', () => void this.#load(from, until));
    this.#buttons.append(button, ' ');
  }
}

/** A range out of the middle of a log may begin and end with a part of a character, which is left out. */
function textOf(bytes: Uint8Array, { isStart, isEnd }: { isStart: boolean; isEnd: boolean }): string {
  let first = 0;
  if (!isStart) while (first < 3 && (bytes[first]! & 0xc0) === 0x80) first += 1;
  return new TextDecoder().decode(bytes.subarray(first), { stream: !isEnd });
}

/** Without the codes of a terminal, for colours and links, and with signs for characters that turn the direction of a text. */
function plain(text: string): string {
  return text
    .replace(
      // oxlint-disable-next-line no-control-regex
      /\u001b\[[0-?]{0,60}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\r(?=\n)/g,
      '',
    )
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '⟨bidi⟩');
}

function kB(bytes: number): string {
  return `${Math.ceil(bytes / 1_024).toLocaleString('en')} kB`;
}

customElements.define('log-view', LogView);
