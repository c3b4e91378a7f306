/**
 * The first frame of a stack that is the project's own.
 *
 * Where an error has causes (`Caused by:`), the deepest cause with a frame of its own counts: the errors around it say
 * only through which code it went. Python lists the innermost frame last, so there the last own frame counts; of
 * chained exceptions that is the last one, which failed the test.
 */
import { firstLines } from './failure-text.js';
import { firstFound, placeReader, type Language, type NamedFrame } from './language.js';
import { languages } from './languages.js';
import { isOwn } from './own-code.js';

export type Frame = Pick<NamedFrame, 'path' | 'fn'> & { own: boolean };

export type Trace = {
  /** The first own frame; null where there is none. */
  own: Frame | null;
  /** The line that names the deepest cause, such as `java.net.ConnectException: refused`; null without causes. */
  cause: string | null;
};

export function traceOf(stack: string): Trace {
  const whole = wholeStackOf(stack);
  if (whole === undefined) return outermostLast(firstLines(stack));
  const frames = whole.frames(stack).map(judged);
  return { own: frames.findLast(({ own }) => own) ?? null, cause: null };
}

/** Reads the lines of a stack one after the other: the frame that each names. */
export function frameReader(stack: string): (line: string) => Frame | null {
  const whole = wholeStackOf(stack);
  if (whole !== undefined)
    return (line) => {
      const frame = whole.frameOf(line);
      return frame && judged(frame);
    };
  const lines = firstLines(stack);
  const frameIn = lineReader(lines);
  return (line) => {
    const trimmed = line.trim().replace(/^# /, '');
    return trimmed === '' ? null : frameIn(trimmed, causeIn(trimmed) !== null);
  };
}

function wholeStackOf(stack: string): Language['wholeStack'] {
  return languages.find(({ wholeStack }) => wholeStack?.is(stack))?.wholeStack;
}

/** An error or one of its causes. */
type Section = { cause: string | null; frames: Frame[] };

function outermostLast(lines: string[]): Trace {
  const sections: Section[] = [{ cause: null, frames: [] }];
  const frameIn = lineReader(lines);
  /** The indentation of an error that was suppressed, with its stack, in Java. */
  let suppressed: number | null = null;
  let namesCause = false;
  for (const line of lines) {
    const trimmed = line.trim().replace(/^# /, '');
    if (trimmed === '') continue;
    const indentation = line.length - line.trimStart().length;
    if (suppressed !== null && indentation > suppressed) continue;
    suppressed = trimmed.startsWith('Suppressed: ') ? indentation : null;
    const section = sections.at(-1);
    const cause = causeIn(trimmed);
    if (section === undefined || suppressed !== null) continue;
    const isCause = cause !== null || namesCause || trimmed.startsWith('---> ');
    const frame = frameIn(trimmed, isCause);
    if (cause !== null) sections.push({ cause: cause === '' ? null : cause, frames: [] });
    else if (namesCause) section.cause = trimmed;
    else if (trimmed.startsWith('---> ')) section.cause = trimmed.slice('---> '.length);
    else if (frame !== null) section.frames.push(frame);
    namesCause = cause === '' && !trimmed.startsWith('-----');
  }
  return {
    own: ownIn(sections),
    cause: sections.findLast((section) => section.cause !== null)?.cause ?? null,
  };
}

/** Java and others: `Caused by: x`; Node `[cause]: x`; RSpec `--- Caused by: ---`; PHPUnit `Caused by`; xUnit. */
function causeIn(line: string): string | null {
  if (line.startsWith('----- Inner Stack Trace')) return '';
  return /^(?:Caused by:? ?|\[cause\]: |--- Caused by: ---)(.*)$/.exec(line)?.[1]?.trim() ?? null;
}

/** Frames with a file come before those without one, which may be of any package. */
function ownIn(sections: Section[]): Frame | null {
  const own = sections.toReversed().flatMap(({ frames }) => frames.filter((frame) => frame.own));
  return own.find((frame) => frame.path !== null) ?? own[0] ?? null;
}

/** Reads lines that are trimmed. A line that names a cause has no frame. */
function lineReader(lines: readonly string[]): (line: string, namesCause: boolean) => Frame | null {
  const test = firstFound(lines, (line) => firstFound(languages, ({ testIn }) => testIn?.(line)));
  const notations = languages.map(({ notation }) => notation?.(lines, test) ?? {});
  const beginnings = [...new Set(notations.flatMap(({ after = {} }) => Object.keys(after)))];
  const frameIn = (line: string, before: string): NamedFrame | 'none' | null => {
    const beginning = beginnings.find((each) => line.startsWith(each));
    if (beginning !== undefined)
      return firstFound(notations, ({ after }) => after?.[beginning]?.(line.slice(beginning.length)));
    const frame = firstFound(notations, (notation) => notation.line?.(line));
    if (frame !== null) return frame;
    const place = placeOf(line.replace(BEFORE_PLACE, ''));
    if (place === null) return firstFound(notations, ({ otherwise }) => otherwise?.(line));
    const nth = languages.findIndex(({ extensions }) => extensions?.includes(place.extension));
    const placed = notations[nth]?.placed;
    return placed === undefined ? { path: place.path, fn: null } : placed(place, before);
  };
  let before = '';
  return (line, namesCause) => {
    const frame = namesCause ? null : frameIn(line, before);
    before = line;
    return frame === null || frame === 'none' ? null : judged(frame);
  };
}

const placeOf = placeReader(languages.flatMap(({ extensions = [] }) => extensions));

const BEFORE_PLACE = new RegExp(`^(?:${languages.flatMap(({ beforePlace = [] }) => beforePlace).join('|')})`);

function judged(frame: NamedFrame): Frame {
  return { path: frame.path, fn: frame.fn, own: isOwn(frame) };
}
