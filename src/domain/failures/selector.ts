/** The locator that a browser test waited for, and what it waited for or wanted to do. */
import { withoutIds } from './message-shape.js';

export type Waited = {
  selector: string;
  /** For example `toBeVisible`, `click`; null where the message is the best description. */
  matcher: string | null;
};

const LINES = 200;

/** `lines`: those of the message, else of the stack. Null where no locator is named. */
export function waitedFor(lines: string[]): Waited | null {
  const looked = lines.slice(0, LINES);
  for (const find of [playwright, puppeteer, cypress, webdriver, webdriverio, capybara]) {
    const waited = find(looked);
    if (waited !== null) return { ...waited, selector: selectorShape(waited.selector) };
  }
  return null;
}

/** Without indexes and the ids of rows. The digit of `h1` and of `level: 1` says which element is meant. */
export function selectorShape(selector: string): string {
  return withoutIds(
    selector
      .replace(/\.(?:nth|at|eq|get)\(-?\d+\)|\.(?:first|last)\(\)|(?<=\))\.(?:first|last)(?![\w(-])/g, '')
      .replace(
        /:(?:nth-(?:last-)?(?:child|of-type)|eq|nth-match)\([^()]{0,40}\)|:(?:first|last)(?:-child|-of-type)?(?![\w-])/g,
        '',
      )
      .replace(/ ?>> nth=-?\d+/g, '')
      .replace(/\[(?:position\(\) ?= ?)?(?:\d+|last\(\))\]/g, '')
      .replace(/:r[0-9a-z]{1,6}:/g, ':<id>:'),
  )
    .replace(/(?<!level: ?)(?<![A-Za-z0-9])\d+(?:[.,:]\d+)*/g, '<n>')
    .replace(/(?<=[A-Za-z])\d{2,}/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim();
}

const LOCATOR =
  /(?:page\.|frame\.)?(?:[Ll]ocator|frameLocator|frame_locator|[Gg]etBy[A-Z]\w{1,20}|get_by_\w{1,20})\(/;

/** `Locator: getByRole('button')`, `waiting for locator('#save')`, `strict mode violation: locator('#save') resolved` */
function playwright(lines: string[]): Waited | null {
  const line = lines.find(
    (text) => /^\s*Locator: |waiting for |strict mode violation: /.test(text) && LOCATOR.test(text),
  );
  const start = line === undefined ? -1 : line.search(LOCATOR);
  if (line === undefined || start < 0) return null;
  const strict = lines.some((text) => text.includes('strict mode violation: ')) ? 'strict ' : '';
  const matcher = expectMatcher(lines) ?? action(lines);
  return { selector: callChain(line.slice(start)), matcher: matcher === null ? null : strict + matcher };
}

/** `expect(locator).not.toBeVisible()` */
function expectMatcher(lines: string[]): string | null {
  for (const line of lines) {
    const [, not, matcher] =
      /\bexpect\([^()]{0,200}\)((?:\.(?:not|soft|resolves|rejects))*)\.(to[A-Z]\w{1,60})\(/.exec(line) ?? [];
    if (matcher !== undefined) return `${not?.includes('not') === true ? 'not ' : ''}${matcher}`;
  }
  return null;
}

/** `locator.click: Timeout 30000ms exceeded.` */
function action(lines: string[]): string | null {
  for (const line of lines) {
    const [, name] = /\b(?:locator|page|frame|elementHandle)\.(\w{1,60}): /i.exec(line) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

/** The calls at the beginning of a text, up to the end of their brackets: `a('x').b({ c: ')' })`. */
function callChain(text: string): string {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (depth > 0 && /['"`]/.test(character)) quote = character;
    else if (/[([{]/.test(character)) depth += 1;
    else if (/[)\]}]/.test(character)) depth -= 1;
    if (depth === 0 && quote === '' && character === ')' && !/^\.\w/.test(text.slice(at + 1, at + 3))) {
      return text.slice(0, at + 1);
    }
  }
  return text;
}

/** `waiting for selector "#save"`, `` Waiting for selector `#save` failed `` */
function puppeteer(lines: string[]): Waited | null {
  const [, quoted] = firstMatch(lines, /[Ww]aiting for selector ([`'"].{1,500})/) ?? [];
  if (quoted === undefined) return null;
  const end = quoted.indexOf(quoted.charAt(0), 1);
  return {
    selector: quoted.slice(1, end < 0 ? undefined : end),
    matcher: action(lines) ?? 'waitForSelector',
  };
}

/** ``Expected to find element: `.save`, but never found it.`` */
function cypress(lines: string[]): Waited | null {
  const [, element] = firstMatch(lines, /Expected to find element: `(.{1,500}?)`, but/) ?? [];
  if (element !== undefined) return { selector: element, matcher: 'find' };
  const [, content] =
    firstMatch(lines, /Expected to find content: (.{1,500}?) (?:within the |but never did)/) ?? [];
  return content === undefined ? null : { selector: content, matcher: 'contains' };
}

/** `{"method":"css selector","selector":"#save"}`, `located by By.cssSelector: #save (tried for 10 seconds)` */
function webdriver(lines: string[]): Waited | null {
  const found = firstMatch(lines, /\{"method":"([\w ]{1,30})","selector":("(?:[^"\\]|\\.){0,500}")\}/);
  const [, how, json] = found ?? [];
  if (json !== undefined) {
    const [problem] =
      /no such element|not interactable|click intercepted|stale element/.exec(found?.input ?? '') ?? [];
    return { selector: `${how}: ${unquoted(json)}`, matcher: problem ?? 'find' };
  }
  const [, condition, by] =
    firstMatch(lines, /waiting for ([\w ]{1,80}) (?:located )?by By\.(\w{1,30}: .{1,500})/i) ?? [];
  if (by !== undefined)
    return { selector: by.replace(/ \(tried .*$/, ''), matcher: condition?.trim() ?? null };
  const [, firefox] = firstMatch(lines, /Unable to locate element: ([^{\s].{0,500})/) ?? [];
  return firefox === undefined ? null : { selector: firefox, matcher: 'no such element' };
}

function unquoted(json: string): string {
  return json.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** `element ("#save") still not displayed after 5000ms`, `element with selector "#save" because …` */
function webdriverio(lines: string[]): Waited | null {
  const [, shown, still] =
    firstMatch(lines, /\belement \("(.{1,500}?)"\) (still (?:not )?\w{1,30}) after/) ?? [];
  if (shown !== undefined) return { selector: shown, matcher: still ?? null };
  const [, call, named] =
    firstMatch(lines, /call (\w{1,30}) on element with selector "(.{1,500}?)" because/) ?? [];
  return named === undefined ? null : { selector: named, matcher: call ?? null };
}

/** `Unable to find visible css "#save"` */
function capybara(lines: string[]): Waited | null {
  const kinds = 'css|xpath|button|link|link or button|field|select box|checkbox|radio button|table|fieldset';
  const found = firstMatch(
    lines,
    new RegExp(`Unable to find (?:visible |non-visible )?(${kinds}) "(.{1,500}?)"`),
  );
  const [, kind, selector] = found ?? [];
  return kind === undefined || selector === undefined
    ? null
    : { selector: `${kind} "${selector}"`, matcher: 'find' };
}

function firstMatch(lines: string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const found = pattern.exec(line);
    if (found !== null) return found;
  }
  return null;
}
