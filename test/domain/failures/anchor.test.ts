import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../kit/any-text.js';
import { anchorOf, groupIdOf } from '../../../src/domain/failures/anchor.js';
import { isId } from '../../../src/domain/ids.js';
import { fastest } from '../../processor-time.js';
import { idOf } from '../ids.js';
import { browser } from './examples/browser.js';
import { compiled } from './examples/compiled.js';
import { failedResult, type Example } from './examples/example.js';
import { hostile, pieces } from './examples/hostile.js';
import { javascript } from './examples/javascript.js';
import { jvm } from './examples/jvm.js';
import { native } from './examples/native.js';
import { plain } from './examples/plain.js';
import { python } from './examples/python.js';
import { scripts } from './examples/scripts.js';

const examples = [...javascript, ...native, ...plain, ...browser, ...python, ...jvm, ...compiled, ...scripts];
const project = idOf('project');

function groupOf(example: Pick<Example, 'error' | 'file'>): string {
  return groupIdOf(project, anchorOf(failedResult(example), 'test'));
}

/** Moves every line and column of every stack. */
function moved(text: string, by: number): string {
  const place = /(\.(?:[cm]?[jt]sx?|py|java|kt|go|rs|rb|php|cs)(?:"?, line |:line |\?\w+:|:|\())(\d+)/g;
  return text.replace(place, (_, before: string, line: string) => `${before}${Number(line) + by}`);
}

describe('the anchor of a failure', () => {
  it('puts real failures into the groups that a person would make', () => {
    const grouped = examples.map((example) => ({ ...example, id: groupOf(example) }));
    const wrong: string[] = [];
    for (const [nth, one] of grouped.entries()) {
      for (const other of grouped.slice(nth + 1)) {
        if ((one.group === other.group) === (one.id === other.id)) continue;
        const shown = [one, other].map((it) => `${it.group}: ${anchorOf(failedResult(it), 'test').key}`);
        wrong.push(shown.join('\n  '));
      }
    }
    expect(wrong.join('\n')).to.equal('');
    expect(examples).to.have.length.of.at.least(75);
  });

  it('is the same after lines were added above', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.nat(5_000), (example, by) => {
        const { error } = example;
        const message = error?.message ?? null;
        const stack = error?.stack ?? null;
        const later =
          error === null
            ? null
            : {
                ...error,
                message: message === null ? null : moved(message, by),
                stack: stack === null ? null : moved(stack, by),
              };
        expect(groupOf({ ...example, error: later })).to.equal(groupOf(example));
      }),
    );
  });

  it('is made of any text, in one line of at most 255 characters', () => {
    const text = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 200 }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join('')),
      // Halves of characters.
      fc
        .array(fc.integer({ min: 0xd700, max: 0xe000 }), { maxLength: 20 })
        .map((units) => String.fromCharCode(...units)),
    );
    const maybe = fc.option(text);
    fc.assert(
      fc.property(
        fc.record({ type: maybe, message: maybe, stack: maybe, hook: maybe }),
        maybe,
        (error, file) => {
          const failed = failedResult({ error, ...(file !== null && { file }) });
          const anchor = anchorOf(failed, 'test');
          expect(anchor).to.deep.equal(anchorOf(failed, 'test'));
          expect(Array.from(anchor.title)).to.have.length.within(1, 255);
          expect(anchor.title).to.match(/^[^\n\r\0]*$/);
          expect(anchor.key.length).to.be.at.most(4_000);
          expect(isId('group', groupIdOf(project, anchor))).to.equal(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is found in 100 ms of processor time in 256 KiB of hostile text', () => {
    const slow: string[] = [];
    for (const piece of [...pieces, ...hostile]) {
      for (const text of [repeated(piece, 256 * 1024), repeated(`${repeated(piece, 990)}!\n`, 256 * 1024)]) {
        const took = fastest(() =>
          anchorOf(failedResult({ error: { type: 'Error', message: text, stack: text } }), 'test'),
        );
        if (took > 100) slow.push(`${JSON.stringify(text.slice(0, 40))}: ${took} ms`);
      }
    }
    expect(slow).to.deep.equal([]);
  });
});

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

describe('the id of a group', () => {
  const failed = failedResult({ error: { message: 'connect ECONNREFUSED 127.0.0.1:5432' } });

  it('stays as it is: stored ids and links hold it', () => {
    expect(groupIdOf(project, anchorOf(failed, 'test'))).to.equal('group_688h9e4x71bn1r762jatf6x11t');
  });

  it('differs by project, kind and key', () => {
    const anchor = anchorOf(failed, 'test');
    const ids = [
      groupIdOf(project, anchor),
      groupIdOf(idOf('project', 2), anchor),
      groupIdOf(project, { ...anchor, kind: 'frame' }),
      groupIdOf(project, { ...anchor, key: 'x' }),
      groupIdOf(project, { ...anchor, title: 'x' }),
    ];
    expect(new Set(ids).size).to.equal(4);
  });
});
