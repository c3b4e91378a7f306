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
