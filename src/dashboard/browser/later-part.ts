/** `<later-part>`: takes its contents from the page that its link leads to, which takes longer than the page around it. */
class LaterPart extends HTMLElement {
  async connectedCallback(): Promise<void> {
    const link = this.querySelector('a');
    if (link === null) return;
    // The link stays where this fails.
    const answer = await fetch(link.href, { headers: { accept: 'text/html' } }).catch(() => null);
    if (answer === null || !answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const part = page.getElementById(this.id);
    if (part !== null) this.replaceWith(part);
  }
}

customElements.define('later-part', LaterPart);
