/**
 * `<fresh-failures data-failures="12">`: stands in a live part. The first one keeps the number as it was when the page was
 * opened; later ones offer to load the page again, so that nothing moves while somebody reads.
 */
let atOpening: number | null = null;

class FreshFailures extends HTMLElement {
  connectedCallback(): void {
    const now = Number(this.dataset['failures'] ?? 0);
    atOpening ??= now;
    const more = now - atOpening;
    if (more <= 0) return;
    const link = document.createElement('a');
    link.href = location.pathname + location.search;
    link.className = 'fresh-failures';
    link.setAttribute('role', 'status');
    link.textContent = `${more.toLocaleString('en')} new ${more === 1 ? 'failure' : 'failures'} since you opened the page: show`;
    this.replaceChildren(link);
  }
}

customElements.define('fresh-failures', FreshFailures);
