/** Small pictures that the server draws. They need no script. */
import { onOneLine } from '../../../domain/text/harmless.js';
import { utc } from '../time.js';

/** `at`: where it is known. */
export type StripCell = { outcome: string; at?: string; href?: string; label?: string };

/** What the runs of a strip have in common. */
export type LikeRuns = { branch: string | null; tool: string | null; environment_key: string };

/** Of which runs a strip is, for its caption: `on main by pytest in os=linux`. */
export function likeInWords({ branch, tool, environment_key }: LikeRuns): string {
  const on = branch === null ? 'without a branch' : `on ${onOneLine(branch, 60)}`;
  const by = tool === null ? '' : ` by ${onOneLine(tool, 60)}`;
  return on + by + (environment_key === '' ? '' : ` in ${onOneLine(environment_key, 60)}`);
}

/** The last outcomes, the newest on the right: each has a colour and a height, so that colour is not alone. */
export function Strip({ cells, label }: { cells: readonly StripCell[]; label: string }) {
  const width = cells.length * 6;
  return (
    <svg
      class="strip"
      width={Math.max(6, width)}
      height="20"
      viewBox={`0 0 ${Math.max(6, width)} 20`}
      preserveAspectRatio="none"
      role={cells.some(({ href }) => href !== undefined) ? 'group' : 'img'}
      aria-label={label}
    >
      {cells.map(({ outcome, at, href, label: text }, n) => {
        const isBad = outcome === 'failed';
        const words = at === undefined ? (text ?? outcome) : `${text ?? outcome}, ${utc(at)}`;
        const cell = (
          <rect class={outcome} x={n * 6} y={isBad ? 0 : 6} width="5" height={isBad ? 20 : 8}>
            <title>{words}</title>
          </rect>
        );
        if (href === undefined) return cell;
        return (
          <a href={href} aria-label={words}>
            {cell}
          </a>
        );
      })}
    </svg>
  );
}

/** Values from left to right, scaled to their own range and `from`. `text` says the same in words. */
export function Sparkline({
  values,
  text,
  from = 0,
}: {
  values: readonly number[];
  text: string;
  from?: number;
}) {
  const [most, least] = [Math.max(...values, 1e-9), Math.min(...values, from)];
  const step = values.length > 1 ? 96 / (values.length - 1) : 0;
  const points = values.map(
    (value, n) =>
      `${(2 + n * step).toFixed(1)},${(22 - ((value - least) / (most - least || 1)) * 20).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" width="100" height="24" viewBox="0 0 100 24" role="img" aria-label={text}>
      <title>{text}</title>
      {values.length > 0 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
