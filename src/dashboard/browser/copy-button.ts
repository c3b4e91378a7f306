/** `<copy-button data-text="…">`: copies its text; with `data-kind="link"` as an address. Without scripts it does not show. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button') !== null) return;
    const button = document.createElement('button');
    button.type = 'button';
    const label = this.dataset['label'] ?? 'Copy';
    button.textContent = label;
    button.addEventListener('click', () => {
      const { text = '', kind } = this.dataset;
      const copied = kind === 'link' ? new URL(text, window.location.href).href : text;
      void navigator.clipboard.writeText(copied).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Select the text to copy it'),
      );
      window.setTimeout(() => (button.textContent = label), 2_000);
    });
    this.append(button);
  }
}

customElements.define('copy-button', CopyButton);
