/** Makes the field that a choice names with `data-requires` required while it is the chosen one. */
export function requireFields(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    for (const choice of document.querySelectorAll<HTMLInputElement>('input[data-requires]')) {
      const field = document.getElementById(choice.dataset['requires']!);
      if (choice.name === target.name && field instanceof HTMLInputElement) field.required = choice.checked;
    }
  });
}
