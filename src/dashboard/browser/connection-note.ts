/** Says at the bottom of the window that a live page is not connected any more: nothing else shows that its lists are old. */

/** A server that only starts again is back by then. */
const AFTER_MS = 5_000;

export function startConnectionNote(): { connected(): void; lost(): void } {
  const place = document.createElement('p');
  place.className = 'not-connected';
  place.setAttribute('role', 'status');
  document.body.append(place);
  let timer = 0;

  return {
    connected() {
      window.clearTimeout(timer);
      timer = 0;
      place.replaceChildren();
    },
    lost() {
      if (timer !== 0) return;
      const since = new Date().toISOString().slice(11, 16);
      timer = window.setTimeout(() => {
        const link = document.createElement('a');
        link.href = location.pathname + location.search;
        link.textContent = 'Reload';
        place.replaceChildren(`Not connected since ${since} UTC. The page tries again by itself. `, link);
      }, AFTER_MS);
    },
  };
}
