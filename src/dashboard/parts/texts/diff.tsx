/** Expected and actual, with what differs between them. Each side has a sign, so that colour is not alone. */
import { Ansi } from './ansi.js';
import { counted } from '../outcome.js';
import { textDiff, type DiffPart } from './text-diff.js';

/** More lines than these are left out, and the page says so. */
const MOST_LINES = 200;
/** Equal lines around a difference. */
const CONTEXT = 3;

export function Diff({ expected, actual }: { expected: string; actual: string }) {
  const diff = textDiff(expected, actual);
  return (
    <div class="diff">
      <p class="diff-legend small">
        <span class="diff-expected">− expected</span> <span class="diff-actual">+ actual</span>
      </p>
      {diff.skipped > 0 && <p class="soft small">{counted(diff.skipped, 'equal character')} before this.</p>}
      {diff.by === 'words' && <Words parts={diff.parts} />}
      {diff.by === 'lines' && <Lines parts={diff.parts} />}
      {diff.by === 'nothing' && <Both {...diff} />}
    </div>
  );
}

function Words({ parts }: { parts: readonly DiffPart[] }) {
  const side = (kind: 'expected' | 'actual') =>
    parts
      .filter((part) => part.kind !== (kind === 'expected' ? 'actual' : 'expected'))
      .map(({ kind: of, text }) => (of === kind ? <mark>{text}</mark> : text));
  return (
    <pre class="block" tabIndex={0} aria-label="Difference">
      <span class="diff-expected">
        <span class="diff-sign">− </span>
        {side('expected')}
      </span>
      {'\n'}
      <span class="diff-actual">
        <span class="diff-sign">+ </span>
        {side('actual')}
      </span>
    </pre>
  );
}

type Line = { kind: DiffPart['kind'] | 'gap'; text: string };

function Lines({ parts }: { parts: readonly DiffPart[] }) {
  const lines = linesOf(parts);
  const shown = lines.slice(0, MOST_LINES);
  return (
    <>
      <pre class="block" tabIndex={0} aria-label="Difference">
        {shown.map(({ kind, text }) =>
          kind === 'gap' ? (
            <span class="soft">{`  ${text}\n`}</span>
          ) : kind === 'same' ? (
            `  ${text}\n`
          ) : (
            <span class={`diff-${kind}`}>{`${kind === 'expected' ? '−' : '+'} ${text}\n`}</span>
          ),
        )}
      </pre>
      {lines.length > shown.length && (
        <p class="soft small">{counted(lines.length - shown.length, 'more line')} differ or stand around.</p>
      )}
    </>
  );
}

function linesOf(parts: readonly DiffPart[]): Line[] {
  return parts.flatMap(({ kind, text }, n): Line[] => {
    const lines = text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ kind, text: line.slice(0, 1_000) }));
    if (kind !== 'same' || lines.length <= 2 * CONTEXT + 1) return lines;
    const head = n === 0 ? 0 : CONTEXT;
    const tail = n === parts.length - 1 ? 0 : CONTEXT;
    const left = lines.length - head - tail;
    const gap: Line = { kind: 'gap', text: `… ${counted(left, 'equal line')}` };
    return [...lines.slice(0, head), gap, ...(tail === 0 ? [] : lines.slice(-tail))];
  });
}

function Both({ expected, actual }: { expected: string; actual: string }) {
  const cut = (text: string) =>
    text
      .split('\n')
      .slice(0, MOST_LINES / 2)
      .join('\n')
      .slice(0, 10_000);
  return (
    <>
      <p class="soft small">They have too little in common for a comparison. Each is cut.</p>
      <pre class="block diff-expected" tabIndex={0} aria-label="Expected">
        <Ansi text={cut(expected)} />
      </pre>
      <pre class="block diff-actual" tabIndex={0} aria-label="Actual">
        <Ansi text={cut(actual)} />
      </pre>
    </>
  );
}
