/** JavaScript and what compiles to it. */
import { withoutPosition, type Language, type NamedFrame } from '../language.js';
import { isBundle } from '../source-file.js';

export const javascript: Language = {
  foreignFiles: [
    '(?:^|/)node_modules/',
    '^node:',
    '^internal/',
    '/\\.(?:pnpm|yarn)/',
    '/\\.vite/deps/',
    '^(?:[a-z-]+:/*)?(?:[\\w-]+/)?\\(?webpack\\)?/(?:bootstrap|runtime|startup)',
    '(?:^|/)(?:cypress_runner|cypress_cross_origin_runner|cypress_support)\\.js',
    '/__cypress/(?:runner|iframes)/',
    '^(?:chrome|moz|safari-web)-extension:',
    '^(?:events|timers|net|fs|http|_\\w+|domain|util|assert)\\.js$',
  ],
  notation: () => ({ after: { 'at ': frameAfterAt, '❯ ': frameAfterArrow }, otherwise: frameWithAt }),
  vagueTypes: `jestassertionerror testinglibraryelementerror cypresserror webdrivererror aggregateerror
    err_assertion`,
  noise: ['^(?:❯ |> ?\\d+ \\|)'],
};

/** `async Orders.total [as sum] (file:///home/me/shop/src/orders.ts:12:3)`, or the place alone. */
function frameAfterAt(text: string): NamedFrame | null {
  const open = text.endsWith(')') ? text.indexOf(' (') : -1;
  const place = open < 0 ? text.replace(/^async /, '') : text.slice(open + 2, -1);
  const path = withoutPosition(place);
  if (path === place && !/^(?:native|<anonymous>|index \d+)$|^eval at /.test(path)) return null;
  const name = open < 0 ? null : text.slice(0, open);
  return { path, fn: nameIn(name, path), foreign: path.startsWith('eval at ') };
}

/** `total@http://localhost:3000/src/orders.ts:12:3`, as Firefox and Safari write it. */
function frameWithAt(text: string): NamedFrame | null {
  const at = text.indexOf('@');
  const place = text.slice(at + 1);
  const path = withoutPosition(place);
  if (at < 0 || path === place || !/^(?:[a-z-]+:\/\/|\/)/i.test(path)) return null;
  return { path, fn: nameIn(text.slice(0, at), path) };
}

/** `❯ Orders.total src/orders.ts:12:3`, as Vitest prints it. */
function frameAfterArrow(text: string): NamedFrame | null {
  const space = text.lastIndexOf(' ');
  const place = text.slice(space + 1);
  const path = withoutPosition(place);
  return path === place ? null : { path, fn: nameIn(space < 0 ? null : text.slice(0, space), path) };
}

/**
 * The receiver of a call is left out where it says only how the code was compiled. Jest's stacks name the matcher
 * (`Object.toBe`) where the function without a name stands that called it.
 */
function nameIn(name: string | null, path: string): string | null {
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
