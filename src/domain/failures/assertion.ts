/** What failed: the type of the error, the line of its message that says most, and the matcher that both give. */
import type { UnderstoodError } from '../understood.js';
import { firstLines } from './failure-text.js';
import { shapeOf } from './message-shape.js';

export type Assertion = {
  /** Without its package; null where the type is one that says nothing (`saysNothing`). */
  type: string | null;
  /** Without the type; empty where no line says what failed. */
  headline: string;
};

/** `cause`: the line of the stack that names the deepest cause, which then stands for the error. */
export function assertionOf(error: UnderstoodError, cause: string | null): Assertion {
  const named = cause === null ? null : typed(cause);
  if (named !== null && named.types.length > 0) return { type: telling(named.types), headline: named.rest };
  const message = firstLines(error.message ?? '');
  const stack = firstLines(error.stack ?? '');
  const line =
    litHeadline(stack) ??
    headlineIn(isOpening(message) ? [...message, ...stack] : message) ??
    headlineIn(stack) ??
    '';
  const { types, rest } = typed(line.trim());
  const headed = typed(headlineIn(stack)?.trim() ?? '').types;
  const given = error.type === null ? [] : [lastSegment(error.type.trim())].filter(isName);
  return { type: telling([...given, ...types, ...headed]), headline: rest };
}

/**
 * What keeps two assertions at one place apart: the type of the error, or the matcher of Jest, Vitest and Playwright.
 * Where neither says anything it is the shape of the message.
 */
export function matcherOf({ type, headline }: Assertion): string {
  const [, expected, name] =
    /^expect\(([^()]{0,200})\)((?:\.(?:not|soft|resolves|rejects))*\.to[A-Z]\w{1,60})\(/.exec(headline) ?? [];
  if (name !== undefined && !expected?.includes(',')) return `expect${name}`;
  return type ?? shapeOf(headline);
}

/** Types that frameworks give to every failure, or that programs throw with all kinds of messages. */
const NOTHING = new Set(
  `error exception throwable failure failed fail panic fatal runtimeexception runtimeerror check
  require standarderror assertion assertionerror assertionfailederror assertionexception
  assertfailedexception comparisonfailure expectationfailedexception expectationnotmeterror
  assertionfailurebuilder multiplefailureserror multiplefailureexception xunitexception
  jestassertionerror testinglibraryelementerror cypresserror webdriverexception webdrivererror
  timeouterror timeoutexception powerassertionerror multipleassertionerror unexpectederror
  exceptiongroup err_assertion unexpectedalertexception aggregateexception aggregateerror`.split(/\s+/),
);

function saysNothing(type: string): boolean {
  return NOTHING.has(type.toLowerCase());
}

function telling(types: string[]): string | null {
  return types.find((type) => !saysNothing(type)) ?? null;
}

/** `System.Net.Http.HttpRequestException` is `HttpRequestException`. */
function lastSegment(type: string): string {
  return type.split(/[.\\/]|::/).at(-1) ?? '';
}

function isName(text: string): boolean {
  return /^[A-Za-z_$][\w$]{0,254}$/.test(text);
}

/** Splits the types off a line: `Uncaught Error: TypeError [ERR_ARG]: bad` has three. A code says more than a type. */
function typed(line: string): { types: string[]; rest: string } {
  const types: string[] = [];
  let rest = line
    .replace(
      /^(?:E {1,8}|Uncaught |Unhandled |Message: |\(in promise\) |panic: |failed on (?:setup|teardown) with ")+/,
      '',
    )
    .trim();
  // Browsers write `Uncaught [TypeError: x is not a function]`.
  if (rest.endsWith(']')) rest = rest.replace(/^\[(?=[A-Za-z]{1,200}: )(.*)\]$/s, '$1');
  for (let nth = 0; nth < 4; nth += 1) {
    const [, head, code, after] =
      /^([A-Za-z_$][\w$.\\]{0,200}(?:::[\w$]{1,100}){0,5})(?: \[([A-Z][A-Z0-9_]{2,60})\])?(?: ?:(?: |$)(.*)|)$/s.exec(
        rest,
      ) ?? [];
    const type = head === undefined ? '' : lastSegment(head);
    if (!isName(type) || !looksLikeType(type)) break;
    types.push(...(code === undefined ? [type] : [code, type]));
    rest = after?.trim() ?? '';
  }
  return { types, rest: rest.replace(/ \[recovered\]$/, '') };
}

function looksLikeType(name: string): boolean {
  return (
    /(?:Error|Exception|Failure|Fault|Throwable|Interrupt|Exit|Warning)$/.test(name) ||
    /^Assertion$/.test(name)
  );
}

/** Null where no line says anything. */
function headlineIn(lines: string[]): string | null {
  const headline = goTestify(lines) ?? pythonHeadline(lines) ?? rustHeadline(lines);
  if (headline !== null) return headline;
  const first = lines.findIndex((line) => !isNoise(line.trim()));
  const line = lines[first]?.trim();
  if (line === undefined) return null;
  const more = lines.slice(first + 1).map((text) => text.trim());
  // AssertJ: `Expecting actual:`, the value, `to contain:`, the other value. GoogleTest and QtTest do so too.
  if (OPENING.test(line)) return [line, ...more.filter((text) => text !== '').slice(0, 3)].join(' ');
  // RSpec and minitest: the type, and the message in the next line.
  const { types, rest } = typed(line);
  const next = more.find((text) => text !== '');
  if (types.length > 0 && rest === '' && line.endsWith(':') && next !== undefined && !isNoise(next))
    return `${line} ${next}`;
  // bats: brackets and quotes belong to the shell here, and their content says what failed.
  const [, command] = /^`(?:\[\[? )?(.*?)(?: \]\]?)?' failed$/.exec(line) ?? [];
  if (command !== undefined) return `${command.replaceAll(/["'`]/g, '')} failed`;
  // Go's tests say where they failed before they say why, and Boost puts a word before it.
  return line.replace(/^(?:[\w.-]{1,200}_test\.go:\d+: ?|- message: )/, '');
}

const OPENING = /^(?:Expecting\b.*:|Expected equality of these values:|Compared \w.{0,40} are not the same)$/;

/** QtTest writes what was compared only into the text behind its message. */
function isOpening(message: string[]): boolean {
  return message.length === 1 && OPENING.test(message[0]!.trim());
}

/** Lines that stand before a message, and frames. */
function isNoise(line: string): boolean {
  return line === '' || NOISE.test(line);
}

const NOISE = new RegExp(
  [
    '^(?:(?:test )?failed|failure|error|fail|null|undefined|none|assertion|exception)[.:!]?$',
    '^(?:=== |--- FAIL|FAIL\\s|running \\d+ tests?$|---- .{1,300} stdout ----$|goroutine \\d+ |failures:$)',
    '^[\\w.-]{1,200}_test\\.go:\\d+: ?$',
    '^.{1,400}:\\d+: Failure$',
    '^(?:at |❯ |#\\d+ |File "|> ?\\d+ \\||Traceback \\(|note: )',
    "^thread '.{0,255}' (?:\\(\\d+\\) )?panicked at [^']{0,400}:\\d+:?$",
    '^[\\w\\\\]{1,200}::\\w{1,200}(?: with data set .{0,300})?$',
    '^.{0,300} \\[[^\\]]{1,300}\\.rb:\\d+\\]:$',
    '^(?:test failure with |(?:process |command )?exited with |non-zero )?exit(?:ed with)? ?(?:code|status):? -?\\d+\\.?$',
    // Only a place: GoogleTest, gdUnit4, Boost, QtTest and bats.
    '^(?:(?:failed|failure|error|at)[: ] *)?(?:[\\w+.-]{1,20}:/{2,3})?(?:[A-Za-z]:)?[^\\s:()]{0,400}[./\\\\][^\\s:()]{1,400}(?::\\d+(?::\\d+)?|\\(\\d+(?:,\\d+)?\\)):?$',
    '^(?:Loc: \\[.{1,400}\\]|\\(?(?:in test file|from function) .{1,400}, line \\d+[,)])$',
    '^(?:(?:assertion failure|(?:uncaught|unexpected) exception|fatal error)[.:]?|- (?:file|line) *: .*)$',
    // The values that a comparison found, without what was compared.
    '^-?[\\d.]+ (?:[=!<>]=|[<>]) -?[\\d.]+$',
    '^(?:Script|Command Output \\((?:stdout|stderr)\\)|-{2,}|stdout|stderr):?$',
  ].join('|'),
  'i',
);

/** LLVM's lit: the script and what each command printed. A line with an error says most. */
function litHeadline(lines: string[]): string | null {
  const output = lines.findIndex((line) => /^Command Output \((?:stdout|stderr)\):$/.test(line));
  if (output < 0) return null;
  const line = lines.slice(output).find((each) => /\berror: /.test(each));
  return line?.slice(line.indexOf('error: ') + 'error: '.length) ?? null;
}

/** testify: `Error Trace:`, `Error:`, `Test:` and `Messages:` with tabs behind them. */
function goTestify(lines: string[]): string | null {
  const trace = lines.findIndex((line) => line.includes('Error Trace:'));
  if (trace < 0) return null;
  const at = lines.findIndex((line, nth) => nth > trace && /^\s*Error:\s/.test(line));
  const error = lines[at]?.trim().slice('Error:'.length).trim();
  if (error === undefined) return null;
  const detail = error.endsWith('error:') ? ` ${lines[at + 1]?.trim() ?? ''}` : '';
  const messages = lines.find((line, nth) => nth > at && /^\s*Messages:\s/.test(line));
  return `${error}${detail}${messages === undefined ? '' : ` (${messages.trim().slice('Messages:'.length).trim()})`}`;
}

/** A Python traceback ends with the error; pytest marks the lines of the error with `E`. */
function pythonHeadline(lines: string[]): string | null {
  const marked = lines.find((line) => /^E {3,}\S/.test(line));
  if (marked !== undefined) return marked.slice(1).trim();
  if (!lines.some((line) => line.startsWith('Traceback (most recent call last)'))) return null;
  return lines.findLast((line) => /^\S/.test(line) && typed(line).types.length > 0) ?? null;
}

/** The message follows the place of a panic. Before Rust 1.73 it stood in quotation marks before the place. */
function rustHeadline(lines: string[]): string | null {
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
