/** Why a result failed: message, what was expected and what came, and the stack. */
import type { ComponentChildren } from 'preact';
import { ownLines, stackParts, type StackPart } from '../../../domain/failures/fold-stack.js';
import { Ansi, withoutAnsi } from '../../parts/texts/ansi.js';
import { Diff } from '../../parts/texts/diff.js';
import { counted } from '../../parts/outcome.js';
import { OutOf } from '../../parts/out-of.js';
import { EditorLink } from '../../parts/editor-link.js';
import { withParams } from '../../parts/lists/pager.js';
import { fileUrl, pathInside, type Repo } from '../../text/repo-links.js';
import { frameIn, rootIn } from '../../text/stack-frames.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { NAME_SEPARATOR } from '../../../test-name.js';
import { visible } from '../../text/short.js';
import type { TestResult } from './load.js';
import { stepsOf, wayToFailure } from './steps.js';

/** Lines of a text that are shown at once; `?full=` shows all of one text. */
const LINES = 200;
const CHARACTERS = 30_000;

export function ErrorOfResult({ result, url, source }: { result: TestResult; url: URL; source: Source }) {
  const { error } = result;
  const message = error?.message ?? result.error_message;
  if (error === null && message === null) {
    const gone = goneText(result.contents);
    if (gone !== null) return <p class="soft">{gone}</p>;
    return (
      <>
        <p class="soft">{result.status === 'failed' ? 'It failed without a message.' : ''}</p>
        <InStep result={result} />
      </>
    );
  }
  const stack = error === null ? null : stackWithout(error.stack, message);
  return (
    <section aria-labelledby="error">
      <h2 id="error">
        Error {/* `Error` says nothing that the heading does not say. */}
        {error?.type && error.type !== 'Error' && (
          <span class="count mono name break">
            <Ansi text={error.type} />
          </span>
        )}
      </h2>
      <InStep result={result} />
      {error?.hook && (
        <p class="small">
          In <span class="name break">{error.hook}</span>
        </p>
      )}
      {message !== null && (
        <Long name="message" text={message} url={url} class="failure">
          {(lines) => <Ansi text={lines.join('\n')} />}
        </Long>
      )}
      {error?.expected != null && error.actual != null && (
        <>
          <h3>Difference</h3>
          <Diff expected={error.expected} actual={error.actual} />
        </>
      )}
      {stack !== null && (
        <>
          <h3>Stack</h3>
          <Long name="stack" text={stack} url={url}>
            {(lines) => <Stack stack={lines.join('\n')} root={rootIn(stack, result.file)} source={source} />}
          </Long>
        </>
      )}
    </section>
  );
}

/** Where the tree of its steps, below, is open. */
function InStep({ result }: { result: TestResult }) {
  const way = wayToFailure(stepsOf(result)).slice(-3);
  if (way.length === 0) return null;
  return (
    <p class="small">
      In the step{' '}
      <a class="name break" href="#failed-step">
        {visible(way.map((name) => onOneLine(name, 100)).join(NAME_SEPARATOR))}
      </a>
    </p>
  );
}

/** Why texts of a result are not there any more; null where they are. */
function goneText(contents: TestResult['contents']): string | null {
  switch (contents) {
    case 'expired':
      return 'What this result said is no longer kept: the time that the project keeps it is over.';
    case 'redacted':
      return 'What this result said was removed by an admin.';
    default:
      return null;
  }
}

/** Many tools begin the stack with the message, which stands above it already. */
function stackWithout(stack: string | null, message: string | null): string | null {
  if (stack === null || stack.trim() === '') return null;
  const begin = message === null ? -1 : stack.indexOf(message.trim());
  if (begin < 0 || begin > 200) return withoutFirstLine(stack, message);
  const rest = stack.slice(begin + message!.trim().length).replace(/^\s*\n/, '');
  return rest.trim() === '' ? null : rest;
}

/** Others begin it with the first line of a message that goes on. */
function withoutFirstLine(stack: string, message: string | null): string {
  const [first = ''] = withoutAnsi(stack).trimStart().split('\n', 1);
  const [said = ''] = withoutAnsi(message ?? '')
    .trimStart()
    .split('\n', 1);
  if (first.trim() === '' || first.trim() !== said.trim()) return stack;
  const rest = stack.trimStart().replace(/^[^\n]*\n?/, '');
  return rest.trim() === '' ? stack : rest;
}

/** Where the lines of a stack lead. */
type Source = { project: Repo; commit: string | null };

type InSource = { root: string | null; source: Source };

function Stack({ stack, ...rest }: InSource & { stack: string }) {
  return (
    <>
      {stackParts(stack).map((part, n) => (
        <Part part={part} id={`frames-${n}`} {...rest} />
      ))}
    </>
  );
}

function Part({ part: { foreign, lines }, id, ...rest }: InSource & { part: StackPart; id: string }) {
  const text = `${lines.join('\n')}\n`;
  // A colour may begin in one line and end in another.
  if (!foreign && text.includes('\x1b')) return <Ansi text={text} />;
  if (!foreign)
    return (
      <>
        {lines.map((line) => (
          <OwnLine line={line} {...rest} />
        ))}
      </>
    );
  return (
    <details class="frames" id={id}>
      <summary>{counted(lines.length, 'line')} of libraries</summary>
      <Ansi text={text} />
    </details>
  );
}

/** A line of the tests or of what they test: its place leads to the source. */
function OwnLine({ line, root, source }: InSource & { line: string }) {
  const frame = frameIn(line, root);
  if (frame === null || pathInside(frame.file) === null) return <Ansi text={`${line}\n`} />;
  return (
    <>
      <Ansi text={frame.before} />
      <OutOf href={fileUrl(source.project, source.commit, frame)} plain>
        {frame.text}
      </OutOf>
      <EditorLink project={source.project} place={frame} />
      <Ansi text={`${frame.after}\n`} />
    </>
  );
}

/** A text of up to 200 lines; the rest by request. */
function Long({
  name,
  text,
  url,
  children,
  ...rest
}: {
  name: string;
  text: string;
  url: URL;
  class?: string;
  children: (lines: string[]) => ComponentChildren;
}) {
  const lines = text.split(/\r?\n/);
  const isShort = lines.length <= LINES && text.length <= CHARACTERS;
  const all = isShort || url.searchParams.get('full') === name;
  const beginning = text.slice(0, CHARACTERS).split(/\r?\n/).slice(0, LINES);
  return (
    <>
      <pre class={`block ${rest.class ?? ''}`} tabIndex={0}>
        {children(all ? lines : beginning)}
      </pre>
      {!all && (
        <p class="small">
          <a href={withParams(url, { full: name })}>Show all {counted(lines.length, 'line')}</a>
        </p>
      )}
    </>
  );
}

const SHORT_STACK = 30;

/** The lines of a stack that say most, for texts: those without foreign frames. */
export function shortStack(stack: string | null): string {
  return stack === null ? '' : ownLines(stack).slice(0, SHORT_STACK).join('\n');
}
