/** Python, with pytest. */
import { typesIn } from '../error-types.js';
import { firstLines, lastLines } from '../failure-text.js';
import { placeReader, type Language, type NamedFrame } from '../language.js';

const placeOf = placeReader(['py']);

export const python: Language = {
  foreignFiles: [
    '(?:^|/)(?:site|dist)-packages/',
    '/lib/python\\d',
    '(?:^|/)(?:_pytest|pluggy|unittest)/',
    '^<',
  ],
  extensions: ['py'],
  wholeStack: {
    is: (stack) =>
      [...firstLines(stack), ...lastLines(stack)].some(
        (line) => line.startsWith('  File "') || /^\S{1,400}\.py:\d+: ?/.test(line),
      ),
    frames,
    frameOf: (line) => frameIn(line, null),
  },
  vagueTypes: 'exceptiongroup',
  noise: ['^(?:File "|Traceback \\()'],
  headline,
};

function frames(stack: string): NamedFrame[] {
  // pytest lists what the test printed after its stack. A log may hold other stacks.
  const captured = stack.indexOf('- Captured ');
  const found: NamedFrame[] = [];
  let fn: string | null = null;
  for (const line of lastLines(captured < 0 ? stack : stack.slice(0, captured))) {
    // pytest shows the source of a function, and the place in it after that.
    fn = /^ {0,16}(?:async )?def (\w{1,255})\(/.exec(line)?.[1] ?? fn;
    const frame = frameIn(line, fn);
    if (frame === null) continue;
    fn = null;
    found.push(frame);
  }
  return found;
}

function frameIn(line: string, fn: string | null): NamedFrame | null {
  const trimmed = line.trim();
  if (trimmed.startsWith('File "')) {
    const end = trimmed.indexOf('", line ');
    if (end < 0) return null;
    return { path: trimmed.slice('File "'.length, end), fn: named(/, in (\S+)$/.exec(trimmed)?.[1]) };
  }
  const place = line.startsWith(' ') ? null : placeOf(trimmed);
  if (place === null) return null;
  return { path: place.path, fn: named(/^: in (\S+)/.exec(place.rest)?.[1]) ?? fn };
}

function named(name: string | undefined): string | null {
  return name === undefined || name === '<lambda>' ? null : name;
}

/** A traceback ends with the error; pytest marks the lines of the error with `E`. */
function headline(lines: string[]): string | null {
  const marked = lines.find((line) => /^E {3,}\S/.test(line));
  if (marked !== undefined) return marked.slice(1).trim();
  if (!lines.some((line) => line.startsWith('Traceback (most recent call last)'))) return null;
  return lines.findLast((line) => /^\S/.test(line) && typesIn(line).types.length > 0) ?? null;
}
