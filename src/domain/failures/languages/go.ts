/** Go, with testify. */
import type { Language, NamedFrame, Place } from '../language.js';

export const go: Language = {
  foreignFiles: [
    '/go/pkg/mod/',
    '/go(?:-\\d[\\w.-]*)?/src/(?:testing|runtime|reflect|internal|net|sync|os|io|context|encoding|sort)/',
    '/usr/(?:local/go|lib/go[\\w.-]*)/src/',
    '/hostedtoolcache/',
    '(?:^|/)testing/testing\\.go$',
    '(?:^|/)_testmain\\.go$',
    '(?:^|/)vendor/[^]*\\.go$',
  ],
  extensions: ['go'],
  beforePlace: 'Error Trace:\\s+',
  notation(lines, test) {
    // testify names the file in full, which Go itself names without its folder.
    const testify = lines.some((line) => line.includes('Error Trace:'));
    return {
      placed({ path, rest }: Place, before): NamedFrame | null {
        if (before.startsWith('created by ') || (testify && rest.startsWith(':'))) return null;
        const called = nameIn(before);
        return { path, fn: /^(?: \+0x[0-9a-f]+)?$/.test(rest) && called !== null ? called : test };
      },
    };
  },
  testIn: (line) => /^\s*(?:--- FAIL: |Test:\s+)(Test\w{0,255})/.exec(line)?.[1],
  vagueTypes: 'panic',
  noise: ['^(?:=== |--- FAIL|FAIL\\s|goroutine \\d+ )', '^[\\w.-]{1,200}_test\\.go:\\d+: ?$'],
  // Tests say where they failed before they say why.
  beforeMessage: '[\\w.-]{1,200}_test\\.go:\\d+: ?',
  headline: testify,
};

/** `example.com/shop/orders.(*Repo).Find(0xc000, ...)`. Functions without a name are numbered in their function. */
function nameIn(text: string): string | null {
  const end = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (end <= 0) return null;
  const name = text.slice(0, end);
  return name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/(?:\.func\d+|\.gowrap\d+|\.\d+)+$/, '')
    .replace(/\[\.\.\.\]/, '');
}

/** `Error Trace:`, `Error:`, `Test:` and `Messages:` with tabs behind them. */
function testify(lines: string[]): string | null {
  const trace = lines.findIndex((line) => line.includes('Error Trace:'));
  if (trace < 0) return null;
  const at = lines.findIndex((line, nth) => nth > trace && /^\s*Error:\s/.test(line));
  const error = lines[at]?.trim().slice('Error:'.length).trim();
  if (error === undefined) return null;
  const detail = error.endsWith('error:') ? ` ${lines[at + 1]?.trim() ?? ''}` : '';
  const messages = lines.find((line, nth) => nth > at && /^\s*Messages:\s/.test(line));
  return `${error}${detail}${messages === undefined ? '' : ` (${messages.trim().slice('Messages:'.length).trim()})`}`;
}
