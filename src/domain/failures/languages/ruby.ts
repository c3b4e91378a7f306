/** Ruby, with RSpec and minitest. */
import type { Language, NamedFrame } from '../language.js';

export const ruby: Language = {
  foreignFiles: [
    '/gems/',
    '/lib/ruby/',
    '^(?:/usr)?(?:/local)?/bin/',
    '(?:^|/)bin/(?:rspec|rake|rails|bundle)$',
    '(?:^|/)vendor/[^]*\\.rb$',
  ],
  extensions: ['rb'],
  beforePlace: 'from ',
  notation: () => ({
    line: minitestFrame,
    placed: ({ path, rest }) => (/^(?::in .*)?$/.test(rest) ? { path, fn: nameIn(rest) } : null),
  }),
  vagueTypes: 'runtimeerror standarderror expectationnotmeterror',
  noise: ['^.{0,300} \\[[^\\]]{1,300}\\.rb:\\d+\\]:$'],
};

/** `block (2 levels) in Orders#total`. The name of a class stands there since Ruby 3.4. */
function nameIn(text: string): string | null {
  const name = /^:in ['`](.*)'$/.exec(text)?.[1];
  if (name === undefined) return null;
  const method = name
    .replace(/^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, '')
    .replace(/^.*[#.](?=[^#.]+$)/, '');
  return /^<|^block/.test(method) ? null : method;
}

/** `OrderTest#test_total [test/order_test.rb:12]:` */
function minitestFrame(line: string): NamedFrame | null {
  const at = line.lastIndexOf(' [');
  const path = /^ \[((?:[A-Za-z]:)?[^\]:]{1,400}\.rb):\d+\]:?$/.exec(line.slice(Math.max(at, 0)))?.[1];
  if (path === undefined) return null;
  return { path, fn: /\b(test_\w{1,255})(?:\(\w{1,255}\))?$/.exec(line.slice(0, at))?.[1] ?? null };
}
