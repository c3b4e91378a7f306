import { expect } from 'chai';
import { annotationsOf, MOST_ANNOTATIONS } from '../../../src/cli/summary/annotations.js';
import { asCodeLines, asHtml, asLogText, firstLines, onOneLine } from '../../../src/domain/text/harmless.js';
import { durationOf } from '../../../src/cli/summary/verdict.js';
import { resultOf } from './facts.js';

describe('texts of reports in the output of the command line', () => {
  it('lose escape codes, control characters and marks of direction', () => {
    expect(onOneLine('\u001B[1;31mred\u001B[0m\u0000\ttext\u202E \n next\u0085', 100)).to.equal(
      'red text next',
    );
    expect(onOneLine('\u001B]8;;http://evil.example\u0007click\u001B]8;;\u0007', 100)).to.equal('click');
  });

  it('are cut at whole characters', () => {
    expect(onOneLine('😀😀😀', 2)).to.equal('😀…');
    expect(onOneLine('😀😀', 2)).to.equal('😀😀');
  });

  it('show that lines are missing', () => {
    expect(firstLines('a\r\nb\nc', { lines: 2, length: 100 })).to.equal('a\nb\n…');
    expect(firstLines('a\nb\n', { lines: 2, length: 100 })).to.equal('a\nb');
  });

  it('hold no command of a CI log', () => {
    expect(asLogText('x ##vso[task.complete result=Failed] ##[error]y')).to.equal(
      'x # #vso[task.complete result=Failed] # #[error]y',
    );
    expect(asLogText('a\n::stop-commands::b')).to.equal('a ::stop-commands::b');
    expect(asCodeLines('a ##[error]b\n  ::error::c\n::d::e')).to.equal(
      '    a # #[error]b\n      : :error::c\n    : :d::e',
    );
  });
});

describe('texts of reports in HTML inside Markdown', () => {
  // As cmark-gfm 0.29 and GitHub read it: a link begins at `www.`, `://` and an `@` behind a letter of the same text.
  it('make no link of an address', () => {
    expect(asHtml('log in at www.evil.example, WWW.evil.example')).to.equal(
      'log in at www&#46;evil.example, WWW&#46;evil.example',
    );
    expect(asHtml('https://evil.example')).to.equal('https&#58;//evil.example');
    expect(asHtml('mia@evil.example')).to.equal('mia<!-- -->&#64;evil.example');
    expect(asHtml('mailto:a.b@evil.example')).to.equal('mailto&#58;a.b<!-- -->&#64;evil.example');
  });

  it('make no mention, and have nothing but the name that is shown', () => {
    expect(asHtml('@octocat')).to.equal('&#64;octocat');
    expect(asHtml('reads a.txt')).to.equal('reads a.txt');
  });
});

describe('annotations', () => {
  it('name file, line, test and message', () => {
    const result = resultOf({
      name: 'a: b, c',
      file: 'src/cart.test.ts',
      line: 12,
      error_message: '100 %\nno',
    });
    expect(annotationsOf([result])).to.deep.equal([
      '::error file=src/cart.test.ts,line=12,title=a%3A b%2C c::100 %25%0Ano',
    ]);
  });

  it('stay one command each, whatever the texts are', () => {
    const hostile = 'x\n::add-mask::y,line=1::z\r\n::error::%0A';
    const result = resultOf({ name: hostile, file: hostile, line: null, error_message: hostile });
    const [line, ...more] = annotationsOf([result]);
    expect(more).to.deep.equal([]);
    expect(line).to.not.match(/[\r\n]/u);
    expect(line!.split('::')[1]).to.match(/^error file=[^,:]*,title=[^,:]*$/u);
  });

  it('are at most ten', () => {
    expect(annotationsOf(Array.from({ length: 50 }, () => resultOf()))).to.have.length(MOST_ANNOTATIONS);
  });
});

describe('durations', () => {
  it('have two units at most', () => {
    expect([0, 999, 1_000, 59_400, 59_600, 372_000, 3_840_000].map(durationOf)).to.deep.equal([
      '0 ms',
      '999 ms',
      '1.0 s',
      '59.4 s',
      '1m 0s',
      '6m 12s',
      '1h 4m',
    ]);
  });
});
