/** Menus close on Escape, and on a click outside of them. Without scripts, their own button closes them. */
export function closeMenus(): void {
  const open = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');
  document.addEventListener('click', ({ target }) => {
    for (const menu of open()) if (!menu.contains(target as Node)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
