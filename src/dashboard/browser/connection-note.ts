/** Says at the bottom of the window that a live page is not connected any more: nothing else shows that its lists are old. */

/** A server that only starts again is back by then. */
const AFTER_MS = 5_000;

export function startConnectionNote(): { connected(): void; lost(): void; signedOut(): void } {
  document.querySelector('.not-connected')?.remove();
  const place = document.createElement('p');
  place.className = 'not-connected';
  place.setAttribute('role', 'status');
  document.body.append(place);
  let timer = 0;
  const here = (): string => location.pathname + location.search;
  const say = (text: string, label: string, href: string): void => {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = label;
    place.replaceChildren(text, link);
  };
  const forget = (): void => {
    window.clearTimeout(timer);
    timer = 0;
    place.replaceChildren();
  };

  return {
    connected: forget,
    lost() {
      if (timer !== 0) return;
      const since = new Date().toISOString().slice(11, 16);
      timer = window.setTimeout(
        () => say(`Not connected since ${since} UTC. The page tries again by itself. `, 'Reload', here()),
        AFTER_MS,
      );
    },
    signedOut() {
      forget();
      say('Signed out. ', 'Sign in', `/sign-in?next=${encodeURIComponent(here())}`);
    },
  };
}
