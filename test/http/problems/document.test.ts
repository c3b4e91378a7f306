import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  CONTENT_SECURITY_POLICY,
  toHtml,
  toMarkdown,
  type Block,
} from '../../../src/http/problems/document.js';

const blocks: Block[] = [
  { heading: 'A `code`', level: 1 },
  { paragraph: 'See [the list](/problems), "a" & <b>.' },
  { columns: ['One', 'Two'], rows: [['a|b', '`<i>`']] },
];

describe('a document of an error page', () => {
  it('is Markdown, in which a bar does not end a cell', () => {
    expect(toMarkdown(blocks)).to.equal(
      '# A `code`\n\nSee [the list](/problems), "a" & <b>.\n\n| One | Two |\n| --- | --- |\n| a\\|b | `<i>` |\n',
    );
  });

  it('is HTML, in which only code and links within the server are markup', () => {
    const html = toHtml('<title>', [...blocks, { paragraph: '[x](javascript:alert(1)) [y](/"onclick=)' }]);
    expect(html).to.include('<title>&lt;title&gt;</title>');
    expect(html).to.include('<h1>A <code>code</code></h1>');
    expect(html).to.include('<p>See <a href="/problems">the list</a>, &quot;a&quot; &amp; &lt;b&gt;.</p>');
    expect(html).to.include(
      '<tr><td data-column="One">a|b</td><td data-column="Two"><code>&lt;i&gt;</code></td></tr>',
    );
    expect(html).to.include('<p>[x](javascript:alert(1)) <a href="/&quot;onclick=">y</a></p>');
  });

  it('has a style that its policy allows', () => {
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(toHtml('', [])) ?? [];
    expect(CONTENT_SECURITY_POLICY).to.include(createHash('sha256').update(style).digest('base64'));
  });
});
