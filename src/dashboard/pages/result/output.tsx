/** What a test printed, as reporters put it into its metadata. Larger output is an artifact. */
import { Ansi } from '../../parts/texts/ansi.js';
import { counted } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import type { TestResult } from './load.js';

/** Lines from the beginning and from the end. */
const LINES = 200;
const NAMES = ['stdout', 'stderr', 'log', 'output', 'console'];

export type OutputText = { name: string; text: string };

export function outputOf({ metadata }: Pick<TestResult, 'metadata'>): OutputText[] {
  const within = metadata?.['output'];
  const nested = typeof within === 'object' && within !== null ? textsIn(within) : [];
  return [...nested, ...textsIn(metadata ?? {})];
}

function textsIn(values: object): OutputText[] {
  return NAMES.flatMap((name) => {
    const value = (values as Record<string, unknown>)[name];
    return typeof value === 'string' && value.trim() !== '' ? [{ name, text: value }] : [];
  });
}

export function Output({ texts, url }: { texts: readonly OutputText[]; url: URL }) {
  if (texts.length === 0) return null;
  return (
    <section aria-labelledby="output">
      <h2 id="output">Output</h2>
      {texts.map(({ name, text }) => (
        <One name={name} text={text} url={url} />
      ))}
    </section>
  );
}

function One({ name, text, url }: OutputText & { url: URL }) {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const isFull = url.searchParams.get('full') === name;
  const left = isFull ? 0 : lines.length - 2 * LINES;
  return (
    <details class="panel log" id={`output-${name}`} open={isFull}>
      <summary>
        {name} <span class="soft small">{counted(lines.length, 'line')}</span>
      </summary>
      {left <= 0 ? (
        <pre class="block" tabIndex={0} aria-label={name}>
          <Ansi text={lines.join('\n')} />
        </pre>
      ) : (
        <>
          <pre class="block" tabIndex={0} aria-label={`${name}, the beginning`}>
            <Ansi text={lines.slice(0, LINES).join('\n')} />
          </pre>
          <p class="small">
            {counted(left, 'line')} left out here.{' '}
            <a href={`${withParams(url, { full: name })}#output-${name}`}>Show them</a>
          </p>
          <pre class="block" tabIndex={0} aria-label={`${name}, the end`}>
            <Ansi text={lines.slice(-LINES).join('\n')} />
          </pre>
        </>
      )}
    </details>
  );
}
