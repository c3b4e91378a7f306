/** `<copy-button data-text="…">`: copies its text. Without scripts the button does not show. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button') !== null) return;
    const button = document.createElement('button');
    button.type = 'button';
    const label = this.dataset['label'] ?? 'Copy';
    button.textContent = label;
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(this.dataset['text'] ?? '').then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Select the text to copy it'),
      );
      window.setTimeout(() => (button.textContent = label), 2_000);
    });
    this.append(button);
  }
}

customElements.define('copy-button', CopyButton);
