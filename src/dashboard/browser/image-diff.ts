/**
 * `<image-diff data-expected data-actual data-diff>`: compares two pictures in four ways, by tabs or the keys 1 to 4. The
 * pictures of the page, which stand side by side, are one of them. Without `data-diff` the browser shows where they differ.
 */
const ways = {
  difference: 'Difference',
  slider: 'Slider',
  side: 'Side by side',
  blink: 'Blink',
} as const;
type Way = keyof typeof ways;

const BLINK_MS = 700;
const ZOOMS = [1, 2, 4, 8];

class ImageDiff extends HTMLElement {
  #timer = 0;
  #choose: (way: Way) => void = () => undefined;

  connectedCallback(): void {
    const { expected, actual, diff, label = '' } = this.dataset;
    if (expected === undefined || actual === undefined || this.querySelector('.image-frame') !== null) return;
    const pair = element('div', 'image-pair');
    const under = picture('under', expected, `Expected: ${label}`);
    const over = picture('over', actual, `Actual: ${label}`);
    const handle = handleOf(pair);
    const [left, right] = [
      element('span', 'image-side', 'Expected'),
      element('span', 'image-side', 'Actual'),
    ];
    right.classList.add('right');
    pair.append(under, over, left, right, handle);
    if (diff !== undefined) pair.prepend(picture('differs', diff, `Difference: ${label}`));
    const stage = element('div', 'image-stage');
    // It scrolls where the picture is zoomed.
    stage.tabIndex = 0;
    stage.setAttribute('role', 'region');
    stage.setAttribute('aria-label', `Comparison: ${label}`);
    stage.append(pair);

    const buttons = Object.entries(ways).map(([way, text]) => {
      const button = buttonOf(text, () => this.#choose(way as Way));
      button.dataset['way'] = way;
      return button;
    });
    const showBlink = (isActual: boolean): void => {
      pair.dataset['shows'] = isActual ? 'actual' : 'expected';
      left.hidden = isActual;
      right.hidden = !isActual;
    };
    this.#choose = (way) => {
      const isAgain = this.dataset['way'] === way;
      this.dataset['way'] = way;
      for (const each of buttons) each.setAttribute('aria-pressed', String(each.dataset['way'] === way));
      window.clearInterval(this.#timer);
      left.hidden = right.hidden = way === 'difference';
      if (way !== 'blink') return delete pair.dataset['shows'];
      const blink = (): void => showBlink(pair.dataset['shows'] === 'expected');
      showBlink(isAgain && pair.dataset['shows'] === 'expected');
      // Chosen again, it shows the other one: that is all where nothing may move by itself.
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
        this.#timer = window.setInterval(blink, BLINK_MS);
    };
    const bar = element('div', 'image-ways');
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'Ways to compare');
    bar.append(...buttons, ...zoomButtons(pair));
    const frame = element('div', 'image-frame');
    frame.append(bar, stage);
    this.prepend(frame);
    this.#choose('difference');
  }

  disconnectedCallback(): void {
    window.clearInterval(this.#timer);
  }

  choose(way: Way): void {
    this.#choose(way);
  }
}

/** The line between the two pictures: it follows the pointer on the picture, and the arrow keys. */
function handleOf(pair: HTMLElement): HTMLElement {
  const handle = element('div', 'image-handle');
  handle.tabIndex = 0;
  handle.setAttribute('role', 'slider');
  handle.setAttribute('aria-label', 'How much of the expected picture is seen, in percent');
  let at = 50;
  const move = (to: number): void => {
    at = Math.min(100, Math.max(0, to));
    pair.style.setProperty('--at', `${at}%`);
    handle.setAttribute('aria-valuenow', String(Math.round(at)));
  };
  move(at);
  handle.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, Home: -100, End: 100 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(at + by);
  });
  const follow = ({ clientX }: PointerEvent): void => {
    const { left, width } = pair.getBoundingClientRect();
    if (width > 0) move(((clientX - left) / width) * 100);
  };
  pair.addEventListener('pointerdown', (event) => {
    const isSlider = pair.closest<HTMLElement>('image-diff')?.dataset['way'] === 'slider';
    if (!isSlider || event.button !== 0) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    pair.setPointerCapture(event.pointerId);
    follow(event);
    pair.addEventListener('pointermove', follow);
    const end = (): void => pair.removeEventListener('pointermove', follow);
    pair.addEventListener('lostpointercapture', end, { once: true });
  });
  return handle;
}

function zoomButtons(pair: HTMLElement): HTMLElement[] {
  let at = 0;
  const zoom = (by: 1 | -1): void => {
    at = Math.min(ZOOMS.length - 1, Math.max(0, at + by));
    pair.style.setProperty('--zoom', String(ZOOMS[at]));
    pair.classList.toggle('zoomed', at > 0);
  };
  const [less, more] = [buttonOf('−', () => zoom(-1)), buttonOf('+', () => zoom(1))];
  less.setAttribute('aria-label', 'Zoom out');
  more.setAttribute('aria-label', 'Zoom in');
  for (const each of [less, more]) each.classList.add('zoom');
  return [less, more];
}

function element(name: 'div' | 'span', className: string, text = ''): HTMLElement {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

function buttonOf(text: string, onClick: () => void): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
  button.addEventListener('click', onClick);
  return button;
}

function picture(className: string, src: string, alt: string): HTMLImageElement {
  return Object.assign(document.createElement('img'), { className, src, alt, draggable: false });
}

customElements.define('image-diff', ImageDiff);

/** The keys are for the comparison that has the focus, else for the first one. */
document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
  const at = target as HTMLElement;
  if (ctrlKey || metaKey || altKey || at.closest('input, textarea, select, dialog') !== null) return;
  const way = Object.keys(ways)['1234'.indexOf(key)] as Way | undefined;
  if (way === undefined) return;
  (at.closest<ImageDiff>('image-diff') ?? document.querySelector<ImageDiff>('image-diff'))?.choose(way);
});
