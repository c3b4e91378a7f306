/**
 * `<first-results>`: takes the place of "no results yet" in a live part, and opens the page anew. No reader loses their place:
 * the page had no list to read. The delay keeps a server whose pages are behind its streams from being asked without
 * pause, and spreads the viewers of one run.
 */
const LEAST_MS = 200;
const SPREAD_MS = 800;

class FirstResults extends HTMLElement {
  connectedCallback(): void {
    setTimeout(() => location.reload(), LEAST_MS + Math.random() * SPREAD_MS);
  }
}

customElements.define('first-results', FirstResults);
