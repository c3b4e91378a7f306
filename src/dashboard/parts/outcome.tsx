/** Outcomes: a sign, a colour and a word, so that none of them stands alone. */
import { number } from '../../domain/text/amounts.js';

export { counted, number } from '../../domain/text/amounts.js';

/** The status of a result, or the state of a run (`domain/runs/run-state.ts`). */
export type OutcomeName =
  'passed' | 'failed' | 'skipped' | 'known_fail' | 'pending' | 'running' | 'flaky' | (string & {});

const signs: Readonly<Record<string, string>> = {
  passed: '✓',
  failed: '✗',
  skipped: '–',
  known_fail: '≈',
  flaky: '~',
  running: '▸',
  pending: '·',
};

/** Not "known failure": that is a test of which somebody has said why it fails. */
const words: Readonly<Record<string, string>> = {
  known_fail: 'expected to fail',
  empty: 'no results',
  unfinished: 'nothing finished',
};

export function outcomeWord(name: OutcomeName): string {
  return words[name] ?? name.replaceAll('_', ' ');
}

/** `plain`: without the word, which is then for readers of the screen only. */
export function Outcome({ of, plain = false }: { of: OutcomeName | null; plain?: boolean }) {
  const name = (of ?? 'pending').toLowerCase();
  return (
    <span class={`outcome ${name}`}>
      <span class="sign" aria-hidden="true">
        {signs[name] ?? '·'}
      </span>
      <span class={plain ? 'visually-hidden' : undefined}>{outcomeWord(name)}</span>
    </span>
  );
}

export type Counts = Readonly<Record<string, number>>;

/** The results of a run as a bar: each part as wide as its share, and the numbers as its text. */
export function CountsBar({ counts }: { counts: Counts }) {
  const parts = (['failed', 'known_fail', 'passed', 'skipped', 'running', 'pending'] as const)
    .map((name) => ({ name, count: counts[name] ?? 0 }))
    .filter(({ count }) => count > 0);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const text = parts.map(({ name, count }) => `${number(count)} ${words[name] ?? name}`).join(', ');
  let x = 0;
  return (
    <svg
      class="counts-bar"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={text || 'no results'}
    >
      <title>{text || 'no results'}</title>
      {parts.map(({ name, count }) => {
        // A single failure among thousands must be seen: it comes first, and is wide enough.
        const width = Math.max((count / total) * 100, name === 'failed' ? 3 : 0.5);
        const from = x;
        x += width;
        return <rect class={name} x={from} y="0" width={width} height="8" />;
      })}
    </svg>
  );
}
