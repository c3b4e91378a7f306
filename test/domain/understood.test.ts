import { expect } from 'chai';
import fc from 'fast-check';
import { keyOfEnvironment } from '../../src/domain/environment.js';
import { shownErrorMessage, textIn, understoodResult, understoodRun } from '../../src/domain/understood.js';
import { limits } from '../../src/limits.js';
import { notUnderstood } from '../http/records.js';

const LONG = 'x'.repeat(limits.branchLength + 1);
const { run: noRun, error: noError } = notUnderstood;
const noResult = { file: null, line: null, suite: null, owner: null, tags: [], links: [], error: null };

/** Values that no understood text can have. */
const notTexts = [null, undefined, true, 1.5, [], ['main'], {}, { name: 'main' }, LONG];

describe('the understood keys of a run', () => {
  it('are its texts of up to 255 characters, and null for anything else', () => {
    for (const name of ['branch', 'commit', 'pull_request', 'actor', 'tool', 'build'] as const) {
      for (const text of ['main', '', '😀'.repeat(limits.branchLength)]) {
        expect(understoodRun({ [name]: text })).to.deep.equal({ ...noRun, [name]: text });
      }
      for (const value of notTexts) expect(understoodRun({ [name]: value }), name).to.deep.equal(noRun);
    }
    expect(understoodRun(null)).to.deep.equal(noRun);
  });

  it('take the number of a pull request as a text', () => {
    expect(understoodRun({ pull_request: 123 }).pull_request).to.equal('123');
    expect(understoodRun({ pull_request: 2 ** 60 }).pull_request).to.equal(null);
    expect(understoodRun({ branch: 7, commit: 7, tool: 7 })).to.deep.equal(noRun);
  });

  it('take only http and https URLs as the URL of the CI run', () => {
    const urlOf = (ci_url: unknown) => understoodRun({ ci_url }).ci_url;
    for (const url of [
      'https://ci.example.org/runs/1?a=b#c',
      'http://[::1]:8080/',
      'HTTPS://ci.example.org',
    ]) {
      expect(urlOf(url)).to.equal(url);
    }
    for (const other of [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      ' https://ci.example.org',
      'https:ci.example.org',
      'https://',
      'ftp://ci.example.org',
      'data:text/html,x',
      '//ci.example.org',
      'ci',
      '',
      `https://ci.example.org/${LONG}`,
      ...notTexts,
    ]) {
      expect(urlOf(other), JSON.stringify(other)).to.equal(null);
    }
  });
});

describe('the understood keys of a result', () => {
  it('are its texts, and a line number', () => {
    for (const name of ['file', 'suite', 'owner'] as const) {
      expect(understoodResult({ [name]: 'a' }, null)).to.deep.equal({ ...noResult, [name]: 'a' });
      for (const value of notTexts) {
        expect(understoodResult({ [name]: value }, null), name).to.deep.equal(noResult);
      }
    }
    expect(understoodResult({ line: 0 }, null).line).to.equal(0);
    for (const line of [-1, 1.5, '7', null, 2 ** 60]) {
      expect(understoodResult({ line }, null).line).to.equal(null);
    }
    expect(understoodResult(null, null)).to.deep.equal(noResult);
  });

  it('are links to addresses of the web, where all of them are and there are no more than 20', () => {
    const link = { name: 'BUG-1', url: 'https://bugs.example/1' };
    const linksOf = (links: unknown) => understoodResult({ links }, null).links;
    expect(linksOf([link, { ...link, url: 'HTTP://x.example', type: 'issue' }])).to.deep.equal([
      link,
      { name: 'BUG-1', url: 'HTTP://x.example' },
    ]);
    expect(linksOf(Array.from({ length: 20 }, () => link))).to.have.length(20);
    expect(linksOf(Array.from({ length: 21 }, () => link))).to.deep.equal([]);
    for (const url of [
      'javascript:alert(1)',
      'ftp://x',
      ' https://x',
      'https:x',
      'https://',
      7,
      null,
      `https://x/${'y'.repeat(2_048)}`,
    ])
      expect(linksOf([link, { ...link, url }]), String(url)).to.deep.equal([]);
    for (const name of ['', LONG, 7, null]) expect(linksOf([{ ...link, name }])).to.deep.equal([]);
    for (const other of [...notTexts, 'https://x.example', [null], [[]]])
      expect(linksOf(other)).to.deep.equal([]);
  });

  it('have the whole error, however long its texts are', () => {
    const text = 'y'.repeat(10_000);
    const error = { type: 'E', message: text, stack: text, expected: text, actual: text, hook: 'before all' };
    expect(understoodResult({ error }, 'shown').error).to.deep.equal(error);
  });

  it('take the error message as the message if the metadata have none', () => {
    const error = { ...noError, message: 'no' };
    for (const metadata of [null, {}, { error: null }, { error: 'no' }, { error: ['no'] }, { error: {} }]) {
      expect(understoodResult(metadata, 'no').error).to.deep.equal(error);
    }
    const typed = { error: { type: 'E', message: 7 } };
    expect(understoodResult(typed, 'no').error).to.deep.equal({ ...error, type: 'E' });
    expect(understoodResult({ error: { message: 'whole' } }, 'no').error?.message).to.equal('whole');
  });

  it('have no error where nothing is said of one', () => {
    for (const error of [{}, 'E', [], { type: LONG, hook: LONG, message: 1, stack: null, other: 'x' }]) {
      expect(understoodResult({ error }, null).error).to.equal(null);
    }
  });
});

describe('the error message that records show', () => {
  it('is the one that was sent, the empty one too', () => {
    for (const sent of ['', 'no'])
      expect(shownErrorMessage({ error: { message: 'other' } }, sent)).to.equal(sent);
  });

  it('is else the first 1,024 characters of error.message, and null without one', () => {
    const shown = (message: unknown) => shownErrorMessage({ error: { message } }, null);
    expect(shown('no')).to.equal('no');
    expect(shown(`${'😀'.repeat(limits.errorMessageLength)}x`)).to.equal(
      '😀'.repeat(limits.errorMessageLength),
    );
    for (const none of [7, null, {}]) expect(shown(none)).to.equal(null);
    for (const metadata of [null, {}, { error: 'no' }])
      expect(shownErrorMessage(metadata, null)).to.equal(null);
  });
});

it('no metadata of any form can make the understood keys throw, or be longer than they may', () => {
  const keys = fc.constantFrom(
    'branch',
    'pull_request',
    'ci_url',
    'file',
    'line',
    'error',
    '__proto__',
    'toString',
  );
  fc.assert(
    fc.property(
      fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 })),
      fc.option(fc.string()),
      (metadata, message) => {
        const { line, error, links: _, ...texts } = understoodResult(metadata, message);
        const { environment, environment_key, ...ofRun } = understoodRun(metadata);
        expect(environment_key).to.equal(keyOfEnvironment(environment));
        for (const text of [...Object.values(texts), ...Object.values(ofRun)]) {
          expect(text === null || Array.from(text).length <= limits.branchLength).to.equal(true);
        }
        expect(line === null || Number.isSafeInteger(line)).to.equal(true);
        if (message !== null) expect(error?.message).to.be.a('string');
        expect(textIn(metadata, 'nothing')).to.equal(null);
      },
    ),
  );
});
