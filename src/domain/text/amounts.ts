/** Numbers and amounts in words. */

/** `48,211` */
export function number(value: number): string {
  return value.toLocaleString('en');
}

/** `1 test`, `1,204 tests` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `2 flaky`, as a part of a list; nothing for none. */
export function some(value: number, word: string): string[] {
  return value === 0 ? [] : [`${number(value)} ${word}`];
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `812 B`, `1.2 MB`. A negative amount has its sign. */
export function bytesText(bytes: number): string {
  let rest = Math.abs(bytes);
  let unit = 0;
  for (; rest >= 1_000 && unit < units.length - 1; unit += 1) rest /= 1_000;
  const shown = Number(rest.toFixed(unit === 0 || rest >= 100 ? 0 : 1));
  return `${bytes < 0 ? '−' : ''}${shown} ${units[unit]}`;
}
