/**
 * `<copy-button data-text="…">`: copies its text; with `data-kind="link"` as an address. With `data-from` in place of the
 * text, it fetches that first: most readers of a page never copy. Without scripts it does not show.
 */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button') !== null) return;
    const button = document.createElement('button');
    button.type = 'button';
    const label = this.dataset['label'] ?? 'Copy';
    button.textContent = label;
    button.addEventListener('click', () => void this.#copy(button, label));
    this.append(button);
  }

  async #copy(button: HTMLButtonElement, label: string): Promise<void> {
    const copied = await this.#text().catch(() => null);
    if (copied === null) {
      button.textContent = 'Not copied: the server did not answer';
      return;
    }
    if (!(await byClipboard(copied)) && !bySelection(this, copied)) {
      button.textContent = 'Not copied: the text is selected, copy it by the keyboard';
      return;
    }
    button.textContent = 'Copied';
    window.setTimeout(() => (button.textContent = label), 2_000);
  }

  async #text(): Promise<string> {
    const { text = '', kind, from } = this.dataset;
    if (from === undefined) return kind === 'link' ? new URL(text, window.location.href).href : text;
    const answer = await fetch(from);
    // Led away to the sign-in, the answer is another page.
    if (!answer.ok || answer.redirected) throw new Error(`the server answered ${answer.status}`);
    return answer.text();
  }
}

/** A page by plain http has no clipboard, unless the server is on the same machine; and a person can forbid it. */
async function byClipboard(text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Selects the text where the page shows it, else in a field of its own, and copies that. Else it stays selected. */
function bySelection(element: HTMLElement, text: string): boolean {
  element.querySelector('textarea')?.remove();
  const shown = element.previousElementSibling;
  let field: HTMLTextAreaElement | null = null;
  if (shown?.textContent === text) window.getSelection()?.selectAllChildren(shown);
  else {
    field = document.createElement('textarea');
    field.value = text;
    field.readOnly = true;
    field.setAttribute('aria-label', 'The text to copy');
    element.append(field);
    field.select();
  }
  // Deprecated, but there is no other way where the page has no clipboard.
  const isCopied = document.execCommand('copy');
  if (isCopied && field !== null) {
    field.remove();
    element.querySelector('button')?.focus();
  }
  return isCopied;
}

customElements.define('copy-button', CopyButton);
