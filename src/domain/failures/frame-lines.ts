/** One line of a stack as a frame, in the notation of each language. */
import { isForeignFile, isForeignName } from './own-code.js';
import { isBundle } from './source-file.js';

export type Frame = {
  /** As the stack names it; null where it names none. */
  path: string | null;
  /** Null at the top level of a file and in a function without a name. */
  fn: string | null;
  own: boolean;
};

export function frameOf(path: string, fn: string | null, foreign = false): Frame {
  return { path, fn, own: !foreign && !isForeignFile(path) };
}

/** What follows `at `: a frame of Java, .NET or JavaScript. */
export function frameAfterAt(text: string): Frame | null {
  return javaFrame(text) ?? dotnetFrame(text) ?? javascriptFrame(text);
}

/** `app//com.shop.Orders$Line.lambda$total$0(Orders.java:12) ~[classes/:?]` */
function javaFrame(text: string): Frame | null {
  const end = text.lastIndexOf(')');
  const start = text.lastIndexOf('(', end);
  if (start <= 0 || text.charAt(start - 1) === ' ') return null;
  const where = text.slice(start + 1, end);
  const file = /^([\w$. -]+\.(?:java|kt|kts|scala|groovy|clj))(?::-?\d+)?$/.exec(where)?.[1];
  const qualified = text.slice(text.lastIndexOf('/', start) + 1, start);
  if (file === undefined) {
    return /^(?:Native Method|Unknown Source|<generated>)$/.test(where) ? frameOf('<generated>', null) : null;
  }
  return frameOf(file, javaName(qualified), isForeignName(qualified) || text.includes('$$Lambda'));
}

/** Compilers number lambdas and classes without a name in the order of the file. */
function javaName(qualified: string): string {
  return qualified
    .replace(/\.lambda\$([^.$]+)\$\d+$/, '.$1')
    .replace(/\$\d+/g, '')
    .replace(/\.(?:invokeSuspend|invoke)$/, '');
}

/** `Shop.Orders.<TotalAsync>d__4.MoveNext() in C:\a\Orders.cs:line 12`; without a file where symbols are missing. */
function dotnetFrame(text: string): Frame | null {
  const open = text.indexOf('(');
  if (open <= 0 || text.charAt(open - 1) === ' ') return null;
  const name = text.slice(0, open);
  const line = text.lastIndexOf(':line ');
  const place = text.indexOf(') in ', open);
  if (place > 0 && line > place) {
    return frameOf(text.slice(place + ') in '.length, line), dotnetName(name), isForeignName(name));
  }
  if (!text.endsWith(')') || !/^[\w.`<>[\],+|]+$/.test(name) || !name.includes('.')) return null;
  return { path: null, fn: dotnetName(name), own: !isForeignName(name) };
}

/** Asynchronous methods, lambdas and local functions have names that the compiler made from that of their method. */
function dotnetName(name: string): string {
  return name
    .replace(/(?:\.|\+)?<>c(?:__\w+)?(?=[.+])/g, '')
    .replace(/<(\w+)>[a-z]__[\w|]+/g, '$1')
    .replace(/\.MoveNext$/, '')
    .replace(/`\d+|\[[\w.,` ]{0,100}\]/g, '')
    .replaceAll('+', '.');
}

/** `async Orders.total [as sum] (file:///home/me/shop/src/orders.ts:12:3)`, or the place alone. */
function javascriptFrame(text: string): Frame | null {
  const open = text.endsWith(')') ? text.indexOf(' (') : -1;
  const place = open < 0 ? text.replace(/^async /, '') : text.slice(open + 2, -1);
  const path = withoutPosition(place);
  if (path === place && !/^(?:native|<anonymous>|index \d+)$|^eval at /.test(path)) return null;
  const name = open < 0 ? null : text.slice(0, open);
  return frameOf(path, javascriptName(name, path), path.startsWith('eval at '));
}

/** `total@http://localhost:3000/src/orders.ts:12:3`, as Firefox and Safari write it. */
export function frameWithAt(text: string): Frame | null {
  const at = text.indexOf('@');
  const place = text.slice(at + 1);
  const path = withoutPosition(place);
  if (at < 0 || path === place || !/^(?:[a-z-]+:\/\/|\/)/i.test(path)) return null;
  return frameOf(path, javascriptName(text.slice(0, at), path));
}

/** `❯ Orders.total src/orders.ts:12:3`, as Vitest prints it. */
export function frameAfterArrow(text: string): Frame | null {
  const space = text.lastIndexOf(' ');
  const place = text.slice(space + 1);
  const path = withoutPosition(place);
  if (path === place) return null;
  return frameOf(path, javascriptName(space < 0 ? null : text.slice(0, space), path));
}

/**
 * The receiver of a call is left out where it says only how the code was compiled. Jest's stacks name the matcher
 * (`Object.toBe`) where the function without a name stands that called it.
 */
function javascriptName(name: string | null, path: string): string | null {
  if (name === null) return null;
  const plain = name
    .replace(/^async /, '')
    .replace(/ \[as [^\]]*\]$/, '')
    .replace(/^Object\.(?:to[A-Z]\w*|not|resolves|rejects)$/, '')
    .replace(
      /^(?:Object|Module|Context|Suite|Function|Proxy|global|globalThis|window|exports|module\.exports)\./,
      '',
    )
    .replace(/^\w*__\w*\./, '')
    .replace(/(?:^|[./])<(?:anonymous|computed)>|^eval$|[/<]{1,4}$/g, '');
  return plain === '' || (isBundle(path) && /^(?:\w{1,2}\.)?[\w$]{1,2}$/.test(plain)) ? null : plain;
}

/** Without `:line:column` or `:line`. */
export function withoutPosition(place: string): string {
  return place.replace(/(?::\d{1,9}){1,2}$/, '');
}

/**
 * A line that begins with a place: `src/orders.py:12: in total`, `/app/tests/OrderTest.php:34`,
 * `./lib/orders.rb:12:in 'Orders#total'`, `/home/me/total.go:12 +0x1d`, `orders_test.go:12: got 3`.
 */
export type Place = { path: string; extension: string; rest: string };

export function placeOf(text: string): Place | null {
  const [, path, extension, rest] = PLACE.exec(text) ?? [];
  return path === undefined || extension === undefined || rest === undefined
    ? null
    : { path, extension, rest };
}

const PLACE =
  /^((?:[A-Za-z]:[\\/]|\/|\.{1,2}[\\/])?[^:"'<>|()\s][^:"'<>|()\t]{0,400}\.(py|go|rb|php|phpt|rs|c|cc|cpp|h|swift|exs?)):\d{1,7}(?!\d)(.*)$/s;

/** Ruby: `block (2 levels) in Orders#total`. The name of a class stands there since Ruby 3.4. */
export function rubyName(text: string): string | null {
  const name = /^:in ['`](.*)'$/.exec(text)?.[1];
  if (name === undefined) return null;
  const method = name
    .replace(/^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, '')
    .replace(/^.*[#.](?=[^#.]+$)/, '');
  return /^<|^block/.test(method) ? null : method;
}

/** Go: `example.com/shop/orders.(*Repo).Find(0xc000, ...)`. Functions without a name are numbered in their function. */
export function goName(text: string): string | null {
  const end = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (end <= 0) return null;
  const name = text.slice(0, end);
  return name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/(?:\.func\d+|\.gowrap\d+|\.\d+)+$/, '')
    .replace(/\[\.\.\.\]/, '');
}

/** Rust: `<shop::orders::Repo as shop::Find>::find::{{closure}}::h0123456789abcdef`: the last name alone. */
export function rustName(text: string): string | null {
  const plain = text.replace(/::h[0-9a-f]{16}$/, '').replace(/(?:::\{\{?[\w:#]+\}\}?)+$/, '');
  return plain.match(/\w+/g)?.at(-1) ?? null;
}
