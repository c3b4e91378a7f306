import { expect } from 'chai';
import {
  codeInMarkdown,
  formatOf,
  inMarkdown,
  jsonPage,
  markdownPage,
  TEXT_BYTES,
} from '../../../src/dashboard/text/text-page.js';

describe('pages as text', () => {
  it('take the format from the end of the path', () => {
    expect(formatOf('run_1.md')).to.deep.equal({ id: 'run_1', format: 'md' });
    expect(formatOf('run_1.json')).to.deep.equal({ id: 'run_1', format: 'json' });
    expect(formatOf('run_1')).to.deep.equal({ id: 'run_1', format: 'html' });
    expect(formatOf('run_1.png')).to.deep.equal({ id: 'run_1.png', format: 'html' });
  });

  it('have at most 20 kB of Markdown, and count what they leave out', () => {
    const items = Array.from({ length: 500 }, (_, n) => `- ${inMarkdown(`größe ${n} ${'x'.repeat(100)}`)}`);
    const section = { heading: '## Many', items, total: 900, thing: ['thing', 'things'] as const };
    const { text } = markdownPage('# Head', [section], '/teams/t/runs/r');
    expect(Buffer.byteLength(text)).to.be.within(15_000, TEXT_BYTES);
    const shown = text.match(/^- /gmu)!.length;
    expect(text).to.contain(`Left out here: ${900 - shown} things. All of it: </teams/t/runs/r>`);
  });

  it('have at most 20 kB of JSON, and leave out the ends of the last lists first', () => {
    const list = (length: number) => Array.from({ length }, (_, n) => ({ n, text: 'ä'.repeat(100) }));
    const { text } = jsonPage({ id: 'run_1', first: list(40), last: list(200) }, ['first', 'last']);
    expect(Buffer.byteLength(text)).to.be.within(15_000, TEXT_BYTES);
    const read = JSON.parse(text);
    expect(read.first).to.have.length(40);
    expect(read.last.length + read.left_out.last).to.equal(200);
    expect(read.left_out).to.have.all.keys('last');
  });

  it('say nothing of what is left out where all of it fits', () => {
    expect(jsonPage({ list: [1, 2] }, ['list']).text).to.equal('{"list":[1,2]}\n');
  });

  it('leave paths and names as they are, for whoever copies them', () => {
    for (const name of [
      'e2e/cart.spec.ts',
      'src/a-b/snake_case.py:12',
      'adds (2 items), 50% off! {a: 1} #3 & "b"',
    ]) {
      expect(inMarkdown(name)).to.equal(name);
    }
  });

  it('show texts of reports as text, whatever markup is in them', () => {
    expect(inMarkdown('# <b>[x](javascript:1)</b>\n@all')).to.equal(
      String.raw`\# \<b>\[x\](javascript:1)\</b> \@all`,
    );
    expect(inMarkdown('**a** _b_ &lt; www.x.org https://x.org ##vso[task] c #')).to.equal(
      String.raw`\*\*a\*\* \_b\_ \&lt; www\.x.org https\://x.org ##vso\[task\] c \#`,
    );
    for (const [start, escaped] of [
      ['- x', String.raw`\- x`],
      ['12. x', String.raw`12\. x`],
      ['=', String.raw`\=`],
      ['::error', String.raw`\::error`],
    ]) {
      expect(inMarkdown(start!)).to.equal(escaped);
    }
    expect(codeInMarkdown('```\n<script>')).to.equal('    ```\n    <script>');
  });
});
