/** Asks before a form with `data-confirm` is sent. */
export function confirmForms(): void {
  document.addEventListener('submit', (event) => {
    const question = (event.target as HTMLElement).dataset['confirm'];
    if (question !== undefined && !window.confirm(question)) event.preventDefault();
  });
}
