/**
 * The first frame of a stack that is the project's own.
 *
 * Where an error has causes (`Caused by:`), the deepest cause with a frame of its own counts: the errors around it say
 * only through which code it went. Python lists the innermost frame last, so there the last own frame counts; of
 * chained exceptions that is the last one, which failed the test.
 */
import { firstLines, lastLines } from './failure-text.js';
import {
  frameAfterArrow,
  frameAfterAt,
  frameOf,
  frameWithAt,
  goName,
  placeOf,
  rubyName,
  rustName,
  withoutPosition,
  type Frame,
  type Place,
} from './frame-lines.js';

export type Trace = {
  /** The first own frame; null where there is none. */
  own: Frame | null;
  /** The line that names the deepest cause, such as `java.net.ConnectException: refused`; null without causes. */
  cause: string | null;
};

export function traceOf(stack: string): Trace {
  return isPython(stack) ? pythonTrace(stack) : outermostLast(firstLines(stack));
}

/** Reads the lines of a stack one after the other: the frames that each names. */
export function frameReader(stack: string): (line: string) => Frame[] {
  if (isPython(stack)) return (line) => present(pythonFrame(line, null));
  const lines = firstLines(stack);
  const testify = lines.some((line) => line.includes('Error Trace:'));
  const context: Context = { before: '', rust: null, test: testIn(lines), testify };
  return (line) => {
    const trimmed = line.trim().replace(/^# /, '');
    if (trimmed === '') return [];
    const frames = causeIn(trimmed) === null ? framesIn(trimmed, context) : [];
    context.before = trimmed;
    return frames;
  };
}

function isPython(stack: string): boolean {
  return [...firstLines(stack), ...lastLines(stack)].some(
    (line) => line.startsWith('  File "') || /^\S{1,400}\.py:\d+: ?/.test(line),
  );
}

function pythonTrace(stack: string): Trace {
  // pytest lists what the test printed after its stack. A log may hold other stacks.
  const captured = stack.indexOf('- Captured ');
  let fn: string | null = null;
  let own: Frame | null = null;
  for (const line of lastLines(captured < 0 ? stack : stack.slice(0, captured))) {
    // pytest shows the source of a function, and the place in it after that.
    fn = /^ {0,16}(?:async )?def (\w{1,255})\(/.exec(line)?.[1] ?? fn;
    const frame = pythonFrame(line, fn);
    if (frame === null) continue;
    fn = null;
    if (frame.own) own = frame;
  }
  return { own, cause: null };
}

function pythonFrame(line: string, fn: string | null): Frame | null {
  const trimmed = line.trim();
  if (trimmed.startsWith('File "')) {
    const end = trimmed.indexOf('", line ');
    if (end < 0) return null;
    return frameOf(trimmed.slice('File "'.length, end), named(/, in (\S+)$/.exec(trimmed)?.[1]));
  }
  const place = line.startsWith(' ') ? null : placeOf(trimmed);
  if (place === null || place.extension !== 'py') return null;
  return frameOf(place.path, named(/^: in (\S+)/.exec(place.rest)?.[1]) ?? fn);
}

function named(name: string | undefined): string | null {
  return name === undefined || name === '<lambda>' ? null : name;
}

/** An error or one of its causes. */
type Section = { cause: string | null; frames: Frame[] };

/** What lines before a frame say of it. */
type Context = {
  /** The line before, in Go the function of the frame. */
  before: string;
  /** In Rust, the function of the frame that follows. */
  rust: string | null;
  /** In Go and Rust, the name of the test, which is that of its function. */
  test: string | null;
  /** Whether testify names the file in full, which Go itself names without its folder. */
  testify: boolean;
};

function outermostLast(lines: string[]): Trace {
  const sections: Section[] = [{ cause: null, frames: [] }];
  const testify = lines.some((line) => line.includes('Error Trace:'));
  const context: Context = { before: '', rust: null, test: testIn(lines), testify };
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
    if (cause !== null) sections.push({ cause: cause === '' ? null : cause, frames: [] });
    else if (namesCause) section.cause = trimmed;
    else if (trimmed.startsWith('---> ')) section.cause = trimmed.slice('---> '.length);
    else section.frames.push(...framesIn(trimmed, context));
    namesCause = cause === '' && !trimmed.startsWith('-----');
    context.before = trimmed;
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

function testIn(lines: string[]): string | null {
  for (const line of lines) {
    const [, go] = /^\s*(?:--- FAIL: |Test:\s+)(Test\w{0,255})/.exec(line) ?? [];
    const [, rust] = /^thread '([\w:]{1,255})' (?:\(\d+\) )?panicked at /.exec(line.trim()) ?? [];
    const test = go ?? (rust === 'main' ? undefined : rust?.split('::').at(-1));
    if (test !== undefined) return test;
  }
  return null;
}

function framesIn(line: string, context: Context): Frame[] {
  if (line.startsWith('at '))
    return present(rustFrame(line, context) ?? frameAfterAt(line.slice('at '.length)));
  if (line.startsWith('❯ ')) return present(frameAfterArrow(line.slice('❯ '.length)));
  const rust = /^\d{1,4}: +(?:0x[0-9a-f]{1,16} - )?(\S.*)$/.exec(line)?.[1];
  if (rust !== undefined) context.rust = rust;
  const panic = panicPlace(line);
  if (panic !== null) return [{ ...frameOf(panic, context.test), fn: context.test }];
  if (line.startsWith('#')) return present(phpFrame(line));
  const minitest = minitestFrame(line);
  if (minitest !== null) return [minitest];
  const place = placeOf(line.replace(/^(?:Error Trace:\s+|from )/, ''));
  return present(place === null ? frameWithAt(line) : placedFrame(place, context));
}

function present(frame: Frame | null): Frame[] {
  return frame === null ? [] : [frame];
}

/** `at ./src/orders.rs:12:9`, after the line with its function. */
function rustFrame(line: string, context: Context): Frame | null {
  if (context.rust === null) return null;
  const fn = context.rust;
  context.rust = null;
  const path = withoutPosition(line.slice('at '.length));
  return path.endsWith('.rs') ? frameOf(path, rustName(fn), isRustRuntime(fn)) : null;
}

function isRustRuntime(fn: string): boolean {
  return /^<?(?:std|core|alloc|test|rust_begin_unwind|__rust)\b/.test(fn);
}

/** `panicked at src/orders.rs:12:9:`, before Rust 1.73 `panicked at 'message', src/orders.rs:12:9`. */
function panicPlace(line: string): string | null {
  const at = line.indexOf(' panicked at ');
  if (at < 0) return null;
  const place = line
    .slice(Math.max(line.lastIndexOf(', '), line.lastIndexOf(' at ') + 2) + 2)
    .replace(/:$/, '');
  const path = withoutPosition(place);
  return path.endsWith('.rs') ? path : null;
}

/** `#1 /app/src/Order.php(12): App\Order->total()`. The function is the one that is called there, not that of the file. */
function phpFrame(line: string): Frame | null {
  const [, path] = /^#\d{1,4} ([^()]{1,500}\.php)\(\d+\)/.exec(line) ?? [];
  return path === undefined ? null : frameOf(path, null);
}

/** `OrderTest#test_total [test/order_test.rb:12]:` */
function minitestFrame(line: string): Frame | null {
  const at = line.lastIndexOf(' [');
  const [, path] = /^ \[((?:[A-Za-z]:)?[^\]:]{1,400}\.rb):\d+\]:?$/.exec(line.slice(Math.max(at, 0))) ?? [];
  if (path === undefined) return null;
  return frameOf(path, /\b(test_\w{1,255})(?:\(\w{1,255}\))?$/.exec(line.slice(0, at))?.[1] ?? null);
}

function placedFrame({ path, extension, rest }: Place, context: Context): Frame | null {
  if (extension === 'rb') return /^(?::in .*)?$/.test(rest) ? frameOf(path, rubyName(rest)) : null;
  if (extension !== 'go') return frameOf(path, null);
  if (context.before.startsWith('created by ') || (context.testify && rest.startsWith(':'))) return null;
  const called = goName(context.before);
  return frameOf(path, /^(?: \+0x[0-9a-f]+)?$/.test(rest) && called !== null ? called : context.test);
}
