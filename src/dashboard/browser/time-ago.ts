/** `<time-ago>`: shows how long ago the instant of its `<time>` was, and keeps that true. */
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const format = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

const local = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});

function utc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

class TimeAgo extends HTMLElement {
  #timer = 0;

  connectedCallback(): void {
    this.#show();
    this.#timer = window.setInterval(() => this.#show(), 30_000);
  }

  disconnectedCallback(): void {
    window.clearInterval(this.#timer);
  }

  #show(): void {
    const time = this.querySelector('time');
    if (time === null) return;
    // Without scripts, the title is in UTC.
    time.title = `${local.format(new Date(time.dateTime))} · ${utc(time.dateTime)}`;
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1_000;
    const unit = units.find(([, size]) => Math.abs(seconds) >= size);
    time.textContent =
      unit === undefined ? 'just now' : format.format(-Math.trunc(seconds / unit[1]), unit[0]);
  }
}

customElements.define('time-ago', TimeAgo);
