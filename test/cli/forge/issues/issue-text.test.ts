import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../../kit/any-text.js';
import { issueText } from '../../../../src/cli/forge/issues/issue-text.js';
import { marked } from '../../../../src/cli/forge/issues/issues.js';
import { resultOf } from '../../summary/facts.js';
import { causeOf, place } from './causes.js';

const hostile = [
  '</code></pre><script>alert(1)</script>',
  '--> <!-- ``` ` @everyone #12 !3 GH-1 &4 %5 ~bug $6 *iteration:1 [x](y) ^alert#7 :x:',
  '[a](javascript:alert(1)) ![b](http://evil.example/x.png) https://evil.example www.evil.example',
  'a\n/close\n::error file=x::y\n##vso[task.setvariable]',
].join('\n');

const facing = { ...place, project: { ...place.project, name: hostile, default_branch: hostile } };
const cause = causeOf('a', {
  title: hostile,
  lines: [hostile],
  lastSeen: { run: 'run_1', commit: hostile, at: '2026-11-30T01:02:03.456Z' },
  names: [hostile],
  example: resultOf({ error_message: hostile, owner: hostile, file: hostile }),
});

describe('the text of the issue of a cause', () => {
  it('makes no mention, link, command or markup of a name', () => {
    const { body } = issueText(cause, facing);
    const [, , ...lines] = body.split('\n');
    const text = lines.join('\n').replace(/`testledger issues sync`/u, '');
    const tags = new Set(text.match(/<[^>]*>/gu)?.map((tag) => tag.replace(/ href="https:[^"]*"/u, '')));
    const ours = ['a', 'code', 'pre', 'details', 'summary'].flatMap((name) => [`<${name}>`, `</${name}>`]);
    expect([...tags].sort()).to.deep.equal(ours.sort());
    expect(text).to.not.match(/[@`$[\]\p{Cf}]|(?!\n)\p{Cc}|javascript:|::|##[a-z[]|^\/|www\./mu);
  });

  it('has a title without a mention, a reference or a link', () => {
    const { title } = issueText(cause, facing);
    expect(title).to.not.match(/[@#!&%~$^[*:]\w|`|\n|:\/\/|GH-\d|www\./u);
  });

  it('is known again whatever the names are, and fits into what GitHub takes', () => {
    const text = fc.string({ unit: codePoint, maxLength: 4_000 });
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 40 }), (title, message, names) => {
        const example = resultOf({ error_message: message.repeat(9), owner: title, file: message });
        const written = issueText(causeOf('group_1', { title, names, lines: names, example }), place);
        expect(Buffer.byteLength(written.body)).to.be.at.most(65_000);
        expect(Array.from(written.title).length).to.be.at.most(400);
        const issue = { ...written, number: 1, isOpen: true, isDeclined: false, url: '' };
        expect(marked(issue, 'project_1')).to.include({ group: 'group_1', seen: 'run_1' });
        expect(marked({ ...issue, body: written.body.replaceAll('\n', '\r\n') }, 'project_1')).to.not.equal(
          null,
        );
        expect(marked(issue, 'project_2')).to.equal(null);
      }),
      { numRuns: 200 },
    );
  });
});
