/** What failed: the type of the error, the line of its message that says most, and the matcher that both give. */
import type { UnderstoodError } from '../understood.js';
import { isName, lastSegment, typesIn } from './error-types.js';
import { firstLines } from './failure-text.js';
import { firstFound } from './language.js';
import { languages } from './languages.js';
import { shapeOf } from './message-shape.js';

export type Assertion = {
  /** Without its package; null where the type is one that says nothing (`saysNothing`). */
  type: string | null;
  /** Without the type; empty where no line says what failed. */
  headline: string;
};

/** `cause`: the line of the stack that names the deepest cause, which then stands for the error. */
export function assertionOf(error: UnderstoodError, cause: string | null): Assertion {
  const named = cause === null ? null : typesIn(cause);
  if (named !== null && named.types.length > 0) return { type: telling(named.types), headline: named.rest };
  const message = firstLines(error.message ?? '');
  const stack = firstLines(error.stack ?? '');
  const line =
    litHeadline(stack) ??
    headlineIn(isOpening(message) ? [...message, ...stack] : message) ??
    headlineIn(stack) ??
    '';
  const { types, rest } = typesIn(line.trim());
  const headed = typesIn(headlineIn(stack)?.trim() ?? '').types;
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
  `error exception failure failed fail fatal check require assertion assertionerror timeouterror unexpectederror ${languages.map((each) => each.vagueTypes ?? '').join(' ')}`.split(
    /\s+/,
  ),
);

function saysNothing(type: string): boolean {
  return NOTHING.has(type.toLowerCase());
}

function telling(types: string[]): string | null {
  return types.find((type) => !saysNothing(type)) ?? null;
}

/** Null where no line says anything. */
function headlineIn(lines: string[]): string | null {
  const headline = firstFound(languages, (language) => language.headline?.(lines));
  if (headline !== null) return headline;
  const first = lines.findIndex((line) => !isNoise(line.trim()));
  const line = lines[first]?.trim();
  if (line === undefined) return null;
  const more = lines.slice(first + 1).map((text) => text.trim());
  // AssertJ: `Expecting actual:`, the value, `to contain:`, the other value. GoogleTest and QtTest do so too.
  if (OPENING.test(line)) return [line, ...more.filter((text) => text !== '').slice(0, 3)].join(' ');
  // RSpec and minitest: the type, and the message in the next line.
  const { types, rest } = typesIn(line);
  const next = more.find((text) => text !== '');
  if (types.length > 0 && rest === '' && line.endsWith(':') && next !== undefined && !isNoise(next))
    return `${line} ${next}`;
  // bats: brackets and quotes belong to the shell here, and their content says what failed.
  const [, command] = /^`(?:\[\[? )?(.*?)(?: \]\]?)?' failed$/.exec(line) ?? [];
  if (command !== undefined) return `${command.replaceAll(/["'`]/g, '')} failed`;
  return line.replace(BEFORE_MESSAGE, '');
}

const BEFORE_MESSAGE = new RegExp(`^(?:${languages.flatMap((each) => each.beforeMessage ?? []).join('|')})`);

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
    '^at ',
    '^(?:test failure with |(?:process |command )?exited with |non-zero )?exit(?:ed with)? ?(?:code|status):? -?\\d+\\.?$',
    // Only a place: GoogleTest, gdUnit4, Boost, QtTest and bats.
    '^(?:(?:failed|failure|error|at)[: ] *)?(?:[\\w+.-]{1,20}:/{2,3})?(?:[A-Za-z]:)?[^\\s:()]{0,400}[./\\\\][^\\s:()]{1,400}(?::\\d+(?::\\d+)?|\\(\\d+(?:,\\d+)?\\)):?$',
    '^(?:(?:assertion failure|(?:uncaught|unexpected) exception|fatal error)[.:]?|- (?:file|line) *: .*)$',
    // The values that a comparison found, without what was compared.
    '^-?[\\d.]+ (?:[=!<>]=|[<>]) -?[\\d.]+$',
    ...languages.flatMap((language) => language.noise ?? []),
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
