/** Rust. */
import { withoutPosition, type Language, type NamedFrame } from '../language.js';

export const rust: Language = {
  foreignFiles: ['/rustc/', '/rustlib/', '\\.cargo/registry/', '(?:^|/)library/(?:std|core|alloc|test)/src/'],
  foreignNames: [
    '(?:std|core|alloc|test|tokio|futures_util|proptest|rstest|serde|serde_json|anyhow|__rust_\\w+)::',
    '(?:rust_begin_unwind|_?main$|_?start$|__libc_start|clone3?$|start_thread)',
  ],
  extensions: ['rs'],
  notation(_, test) {
    /** The function of the frame that follows. */
    let fn: string | null = null;
    return {
      after: {
        'at ': (place) => {
          const called = fn;
          fn = null;
          return called === null ? null : frameAt(place, called);
        },
      },
      line(line) {
        fn = /^\d{1,4}: +(?:0x[0-9a-f]{1,16} - )?(\S.*)$/.exec(line)?.[1] ?? fn;
        const path = panicPlace(line);
        return path === null ? null : { path, fn: test };
      },
    };
  },
  testIn(line) {
    const test = /^thread '([\w:]{1,255})' (?:\(\d+\) )?panicked at /.exec(line.trim())?.[1];
    return test === 'main' ? undefined : test?.split('::').at(-1);
  },
  noise: [
    '^(?:running \\d+ tests?$|---- .{1,300} stdout ----$|failures:$|note: )',
    "^thread '.{0,255}' (?:\\(\\d+\\) )?panicked at [^']{0,400}:\\d+:?$",
  ],
  headline,
};

/** `at ./src/orders.rs:12:9`, after the line with its function. */
function frameAt(place: string, called: string): NamedFrame | null {
  const path = withoutPosition(place);
  return path.endsWith('.rs') ? { path, fn: nameIn(called), foreign: isRuntime(called) } : null;
}

function isRuntime(fn: string): boolean {
  return /^<?(?:std|core|alloc|test|rust_begin_unwind|__rust)\b/.test(fn);
}

/** `<shop::orders::Repo as shop::Find>::find::{{closure}}::h0123456789abcdef`: the last name alone. */
function nameIn(text: string): string | null {
  const plain = text.replace(/::h[0-9a-f]{16}$/, '').replace(/(?:::\{\{?[\w:#]+\}\}?)+$/, '');
  return plain.match(/\w+/g)?.at(-1) ?? null;
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

/** The message follows the place of a panic. Before Rust 1.73 it stood in quotation marks before the place. */
function headline(lines: string[]): string | null {
  const at = lines.findIndex((line) => line.includes(' panicked at '));
  const line = lines[at];
  if (line === undefined) return null;
  const start = line.indexOf(" panicked at '");
  if (start >= 0) {
    const message = line.slice(start + " panicked at '".length);
    const end = message.lastIndexOf("', ");
    return end < 0 ? message : message.slice(0, end);
  }
  return lines[at + 1]?.trim() || null;
}
