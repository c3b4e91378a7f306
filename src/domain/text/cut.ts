/** Texts of reports where there is room for a few words only. */

/** Up to this many signs, with `…` for the rest. No half of a character stands at the end. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
