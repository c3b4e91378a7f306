/** Moves the tabs of a narrow screen sideways, so that the one that is open can be seen. */
export function showTabs(): void {
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs > [aria-current]')) {
    const tabs = tab.parentElement!;
    if (tabs.scrollWidth > tabs.clientWidth)
      tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  }
}
