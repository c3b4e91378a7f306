/**
 * `<fresh-failures data-failures="12" data-status="running">`: stands in a live part. The first one keeps what it says, as it
 * was when the page was opened; later ones offer to load the page again, so that nothing moves while somebody reads.
 */
let atOpening: { failures: number; status: string } | null = null;

class FreshFailures extends HTMLElement {
  connectedCallback(): void {
    const now = { failures: Number(this.dataset['failures'] ?? 0), status: this.dataset['status'] ?? '' };
    atOpening ??= now;
    const text = news(atOpening, now);
    if (text === null) return;
    const link = document.createElement('a');
    link.href = location.pathname + location.search;
    link.className = 'fresh-failures';
    link.setAttribute('role', 'status');
    link.textContent = `${text}: show`;
    this.replaceChildren(link);
  }
}

function news(before: NonNullable<typeof atOpening>, now: NonNullable<typeof atOpening>): string | null {
  const more = now.failures - before.failures;
  // Not "new": that is said of failures that the baseline does not have.
  if (more > 0) return `${more.toLocaleString('en')} more ${more === 1 ? 'failure' : 'failures'}`;
  // Tests that were removed are listed for a completed run only.
  return now.status === 'completed' && before.status !== 'completed' ? 'Completed' : null;
}

customElements.define('fresh-failures', FreshFailures);
