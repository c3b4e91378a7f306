/**
 * `<editor-link data-file="…" data-line="…" data-repo="…">`: opens a place in the person's own editor. Only the person knows where
 * a clone is, so this browser keeps the address, which `<editor-setting>` asks for. Without one, the link does not show.
 */
const KEY = 'editor';
/** Of editors alone. Any other scheme could run a script. */
const ADDRESS =
  /^(?:vscode|vscode-insiders|vscodium|cursor|windsurf|zed|idea|jetbrains):\/\/\S*\{file\}\S*$/u;

class EditorLink extends HTMLElement {
  connectedCallback(): void {
    this.replaceChildren();
    const href = this.#address();
    if (href === null) return;
    const link = document.createElement('a');
    const place = `${this.dataset['file']}:${this.dataset['line']}`;
    Object.assign(link, { href, title: `Open ${place} in your editor`, textContent: '✎' });
    link.setAttribute('aria-label', link.title);
    this.append(link);
  }

  #address(): string | null {
    const { file = '', line = '1', repo } = this.dataset;
    const address = localStorage.getItem(KEY) ?? '';
    if (!ADDRESS.test(address) || (repo === undefined && address.includes('{repo}'))) return null;
    // Encoded, a name cannot end the path or begin a parameter.
    const values: Record<string, string> = {
      file: file.split('/').map(encodeURIComponent).join('/'),
      line: encodeURIComponent(line),
      repo: encodeURIComponent(repo ?? ''),
    };
    return address.replace(/\{(file|line|repo)\}/g, (_, name: string) => values[name]!);
  }
}

/** A form that the server hides, because it does nothing without scripts. */
class EditorSetting extends HTMLElement {
  connectedCallback(): void {
    const field = this.querySelector('input')!;
    const said = this.querySelector('[role=status]')!;
    field.value = localStorage.getItem(KEY) ?? '';
    this.hidden = false;
    field.addEventListener('input', () => {
      const address = field.value.trim();
      const isWrong = address !== '' && !ADDRESS.test(address);
      field.setCustomValidity(isWrong ? 'It needs the scheme of an editor, and {file}, without spaces.' : '');
      said.textContent = '';
    });
    this.querySelector('form')!.addEventListener('submit', (event) => {
      event.preventDefault();
      localStorage.setItem(KEY, field.value.trim());
      said.textContent = 'Saved in this browser.';
    });
  }
}

customElements.define('editor-link', EditorLink);
customElements.define('editor-setting', EditorSetting);
