/**
 * The way through the failures of a run: `j` and `k`, and the links of their list, show the next page in the place of this one,
 * which has been fetched by then. Without scripts they are links. Other keys do what the head of the page offers.
 */
import { followLive } from './live.js';

const nav = () => document.querySelector('nav.triage');
const linkTo = (rel: 'next' | 'prev') => nav()?.querySelector<HTMLAnchorElement>(`a[rel=${rel}]`) ?? null;

/** The page that was fetched ahead, by its address. It is as of then, so it is kept for one step only. */
let ahead = new Map<string, Promise<Document | null>>();
/** The address of what is shown, without the part behind `#`. */
let shown = '';
let asked = 0;

export function startTriage(): void {
  shown = here();
  scrollToCurrent();
  fetchAhead();
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('nav.triage a[rel], .triage-list a');
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link === null) {
      // The step to the heading would take the focus from the form.
      if ((event.target as Element).closest('a[href^="#known-"]') !== null) openKnown(event);
      return;
    }
    event.preventDefault();
    void go(link.href);
  });
  window.addEventListener('popstate', () => {
    // A step within the page, such as to its error, changes nothing else.
    if (here() !== shown) void show(location.href);
  });
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, dialog'))
    return;
  switch (event.key) {
    case 'j':
    case 'k': {
      const link = linkTo(event.key === 'j' ? 'next' : 'prev');
      if (link !== null) void go(link.href);
      return;
    }
    case 'a': {
      const attempts = [...document.querySelectorAll<HTMLAnchorElement>('nav.attempts a')];
      const at = attempts.findIndex((each) => each.hasAttribute('aria-current'));
      const next = attempts[(at + 1) % attempts.length];
      if (next !== undefined) void go(next.href);
      return;
    }
    case 'm':
      return openKnown(event);
    case 'c':
      document.querySelector<HTMLElement>('.page-actions copy-button[data-from] button')?.click();
      return;
    default:
      return;
  }
}

function openKnown(event?: Event): void {
  const form = document.querySelector<HTMLDetailsElement>('#known-failure-form');
  const section = document.querySelector('#known-failure');
  if (section === null) return;
  // Else the key would be the first letter of the reason.
  event?.preventDefault();
  if (form !== null) form.open = true;
  section.scrollIntoView({ block: 'start' });
  const first = '#known-failure-form textarea, #known-failure-form input:not([type=hidden])';
  document.querySelector<HTMLElement>(first)?.focus();
}

async function go(href: string): Promise<void> {
  if (await show(href)) history.pushState(null, '', href);
}

/** Whether it is shown now. A later step counts, whichever page comes first; a page that does not come is opened as a link is. */
async function show(href: string): Promise<boolean> {
  const number = (asked += 1);
  const page = await (ahead.get(href) ?? fetchPage(href));
  if (number !== asked) return false;
  const next = page?.querySelector('main');
  if (page === null || next == null) {
    location.assign(href);
    return false;
  }
  document.title = page.title;
  const icon = page.querySelector<HTMLLinkElement>('link[rel=icon]')?.getAttribute('href');
  if (icon != null) document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
  document.querySelector('main')?.replaceWith(document.adoptNode(next));
  const { live } = page.body.dataset;
  if (live === undefined) delete document.body.dataset['live'];
  else document.body.dataset['live'] = live;
  followLive();
  window.scrollTo(0, 0);
  next.focus({ preventScroll: true });
  shown = new URL(href, location.href).pathname + new URL(href, location.href).search;
  scrollToCurrent();
  fetchAhead();
  return true;
}

function fetchAhead(): void {
  const next = linkTo('next')?.href;
  ahead = new Map(next === undefined ? [] : [[next, fetchPage(next)]]);
}

/** Null where the server does not answer, or with another page, such as the sign-in. */
async function fetchPage(href: string): Promise<Document | null> {
  const answer = await fetch(href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer === null || !answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

/** Within the list: the page itself stays where it is. */
function scrollToCurrent(): void {
  const list = document.querySelector<HTMLElement>('.triage-list');
  const current = list?.querySelector<HTMLElement>('[aria-current]');
  if (list == null || current == null) return;
  list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3;
}

function here(): string {
  return location.pathname + location.search;
}
