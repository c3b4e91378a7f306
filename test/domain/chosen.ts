/** `n`: most of the time it chooses one of the newest, so that steps change again what other steps have just changed. */
export function chosen<T>(things: readonly T[], n: number): T | undefined {
  if (n % 3 === 0) return things[n % things.length];
  return things.at(-1 - (Math.floor(n / 3) % Math.min(6, things.length)));
}
