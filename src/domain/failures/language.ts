/** What a programming language, with its test frameworks, writes into failures: one object in `languages/` for each. */

/** A frame as a line names it. */
export type NamedFrame = {
  /** As the stack names it; null where it names none. */
  path: string | null;
  /** Null at the top level of a file and in a function without a name. */
  fn: string | null;
  /** The name with its packages or namespaces, by which code is known to be of a library. */
  qualified?: string;
  /** Whatever its file and name, it is not the project's own. */
  foreign?: boolean;
};

/**
 * A line that begins with a place: `src/orders.py:12: in total`, `/app/tests/OrderTest.php:34`,
 * `./lib/orders.rb:12:in 'Orders#total'`, `/home/me/total.go:12 +0x1d`, `orders_test.go:12: got 3`.
 */
export type Place = { path: string; extension: string; rest: string };

/** How the lines of one stack are read, one after the other. */
export type Notation = {
  /** The frame of what follows these first characters. No other notation reads such a line. */
  after?: Readonly<Record<string, (text: string) => NamedFrame | null>>;
  /** The frame of a line in a form of its own. `none`: it has that form, and names no frame. */
  line?(line: string): NamedFrame | 'none' | null;
  /** The frame of a line that begins with a place in a file of the language. `before`: the line before. */
  placed?(place: Place, before: string): NamedFrame | null;
  /** The frame of a line that no other form fits. */
  otherwise?(line: string): NamedFrame | null;
};

/** Expressions are texts, which are joined with those of the other languages. */
export type Language = {
  /** Files of installed packages, of the standard library and of test frameworks, with `/` for `\`. */
  foreignFiles?: readonly string[];
  /** The beginnings of qualified names of such code. */
  foreignNames?: readonly string[];
  /** The extensions of files with which a line of a stack may begin. */
  extensions?: readonly string[];
  /** What may stand before a place. */
  beforePlace?: string;
  /** `test`: the function of the test, where a line names it. */
  notation?(lines: readonly string[], test: string | null): Notation;
  /** Stacks that are all of this language, and that list the innermost frame last. */
  wholeStack?: {
    is(stack: string): boolean;
    frames(stack: string): NamedFrame[];
    frameOf(line: string): NamedFrame | null;
  };
  /** The function of the test, if this line says that it failed. */
  testIn?(line: string): string | undefined;
  /** Types of errors, in small letters, that come with all kinds of messages. */
  vagueTypes?: string;
  /** Lines that stand before a message. Matched without regard to case. */
  noise?: readonly string[];
  /** What stands before the message in its line. */
  beforeMessage?: string;
  /** The line of a failure that says most. Null where it is not known from this language. */
  headline?(lines: string[]): string | null;
};

/** Reads the places in files with these extensions. */
export function placeReader(extensions: readonly string[]): (text: string) => Place | null {
  const place = new RegExp(
    `^((?:[A-Za-z]:[\\\\/]|\\/|\\.{1,2}[\\\\/])?[^:"'<>|()\\s][^:"'<>|()\\t]{0,400}\\.(${extensions.join('|')})):\\d{1,7}(?!\\d)(.*)$`,
    's',
  );
  return (text) => {
    const [, path, extension, rest] = place.exec(text) ?? [];
    return path === undefined || extension === undefined || rest === undefined
      ? null
      : { path, extension, rest };
  };
}

/** What the first of them finds; null where none finds anything. */
export function firstFound<One, Found>(
  all: readonly One[],
  find: (one: One) => Found | null | undefined,
): Found | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}

/** Without `:line:column` or `:line`. */
export function withoutPosition(place: string): string {
  return place.replace(/(?::\d{1,9}){1,2}$/, '');
}
