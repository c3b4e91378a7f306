/** A badge as a picture: the name of the project, and how its branch stands. No script, no style, no address. */
import { renderToString } from 'preact-render-to-string';
import type { BranchState } from '../../domain/runs/branch-state.js';
import { onOneLine } from '../../domain/text/harmless.js';
import { outcomeWord } from '../parts/outcome.js';
import { visible } from '../text/short.js';

/** White on each of them can be read (WCAG AA). */
const [GREEN, RED, YELLOW, GREY] = ['#1a7f37', '#c62f2f', '#8a6100', '#636c76'] as const;
const colours: Readonly<Record<BranchState, string>> = {
  passing: GREEN,
  failing: RED,
  incomplete: YELLOW,
  running: GREY,
  skipped: GREY,
  empty: GREY,
  unfinished: GREY,
  no_runs: GREY,
};

const LONGEST = 40;

export function badgeSvg(project: string, branch: string, state: BranchState): string {
  const name = inXml(visible(onOneLine(project, LONGEST)));
  const word = outcomeWord(state);
  const text = `${name}, ${inXml(onOneLine(branch, 100))}: ${word}`;
  const [left, right] = [widthOf(name), widthOf(word)];
  const part = (of: string, from: number, width: number) => (
    <text x={from + width / 2} y={14} text-anchor="middle" textLength={width - 2 * PADDING}>
      {of}
    </text>
  );
  return renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={left + right}
      height={20}
      role="img"
      aria-label={text}
      fill="#fff"
      font-family="Verdana, DejaVu Sans, sans-serif"
      font-size={11}
    >
      <title>{text}</title>
      <rect width={left} height={20} fill="#444c56" />
      <rect x={left} width={right} height={20} fill={colours[state]} />
      {part(name, 0, left)}
      {part(word, left, right)}
    </svg>,
  );
}

const PADDING = 7;

/** About as wide as browsers show it: `textLength` makes it fit. */
function widthOf(text: string): number {
  let width = 2 * PADDING;
  for (const character of text) width += character > '\u2e7f' ? 12 : 7;
  return width;
}

/** Without the characters that no XML has, which would leave a picture that no browser shows. */
function inXml(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
