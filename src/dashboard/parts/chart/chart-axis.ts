/** The marks of a vertical axis. */

/** Three to six of them, from 0 up to a round number that is not below the highest value. */
export function axisOf(highest: number): number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 2.5, 5, 10].find((each) => each * unit >= rough)!;
  const ticks = Math.ceil(highest / step);
  return Array.from({ length: ticks + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}
