import { expect } from 'chai';
import { attributeOf, elementsIn, intruders, textOf } from '../html.js';
import { hostileTexts } from './hostile-texts.js';
import { openPage, stubbedApi } from '../open-page.js';
import { answersWith, RESULT_PATH, TEAM, TEST_PATH } from './result-records.js';

const files = { origin: null, untrustedOrigin: 'https://files.example' };

describe('the pages of a result and of a test, with a hostile text in every field:', () => {
  for (const { way, text } of hostileTexts) {
    it(`show ${way} as text, and have no element, attribute or address that it made`, async () => {
      const api = stubbedApi(answersWith(text));
      for (const path of [
        RESULT_PATH,
        `${RESULT_PATH}?full=stdout&problem=${encodeURIComponent(text.toWellFormed())}`,
        TEST_PATH,
      ]) {
        for (const query of [
          '',
          `${path.includes('?') ? '&' : '?'}branch=${encodeURIComponent(text.toWellFormed())}`,
        ]) {
          const { html } = await openPage(path + query, { api, team: TEAM, files });
          const sent = Buffer.from(html).toString();
          expect(intruders(sent), path).to.deep.equal([]);
        }
      }
    });
  }

  it('have the same elements for all of them as for a harmless text, but for the marks of colours and differences', async () => {
    const namesWith = async (text: string, path: string) => {
      const { html } = await openPage(path, { api: stubbedApi(answersWith(text)), team: TEAM, files });
      return new Set(elementsIn(html).map(({ tagName }) => tagName));
    };
    for (const path of [RESULT_PATH, TEST_PATH]) {
      const harmless = await namesWith('a text', path);
      for (const { text, way } of hostileTexts) {
        const more = [...(await namesWith(text, path))].filter((name) => !harmless.has(name));
        expect(
          more.filter((name) => !['mark', 'span', 'details', 'summary'].includes(name)),
          `${way} on ${path}`,
        ).to.deep.equal([]);
      }
    }
  });

  it('show the text itself: nothing of it is lost', async () => {
    const text = `<b>"it's" & 'more'</b>`;
    const { html } = await openPage(RESULT_PATH, { api: stubbedApi(answersWith(text)), team: TEAM });
    const [title] = elementsIn(html).filter(({ tagName }) => tagName === 'title');
    expect(textOf(title!)).to.equal(`${text} · testledger`);
    for (const tagName of ['h1', 'h3', 'pre', 'dl', 'table', 'details']) {
      const found = elementsIn(html).filter((element) => element.tagName === tagName);
      expect(found.map(textOf).join('\n'), tagName).to.contain(text);
    }
  });

  it('let the keyboard scroll each block of a text', async () => {
    for (const text of [
      'a text',
      'a line\n'.repeat(1_000),
      Array.from({ length: 3_000 }, (_, n) => n).join('\n'),
    ]) {
      const { html } = await openPage(RESULT_PATH, { api: stubbedApi(answersWith(text)), team: TEAM });
      const blocks = elementsIn(html).filter(({ tagName }) => tagName === 'pre');
      expect(blocks).not.to.have.length(0);
      expect(blocks.filter((each) => attributeOf(each, 'tabindex') !== '0').map(textOf)).to.deep.equal([]);
    }
  });

  for (const ending of ['.md', '.json']) {
    it(`as ${ending} have no markup of theirs, and at most 20 kB`, async () => {
      for (const { text, way } of hostileTexts) {
        for (const long of [text, text.repeat(600)]) {
          for (const path of [RESULT_PATH, TEST_PATH]) {
            const { reply } = await openPage(path + ending, {
              api: stubbedApi(answersWith(long)),
              team: TEAM,
            });
            if (!('text' in reply)) throw new Error('the page is no text');
            expect(Buffer.byteLength(reply.text), way).to.be.at.most(20_000);
            if (ending === '.json') expect(JSON.parse(reply.text), way).to.be.an('object');
            else
              expect(withoutCode(reply.text), way).not.to.match(/(?<!\\)[<[]|^ *#{1,6} .*\n[^]*^ *#{1,6} /m);
          }
        }
      }
    });
  }
});

/** Markdown without its blocks and pieces of code. */
function withoutCode(markdown: string): string {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of markdown.split('\n')) {
    const mark = /^`{3,}/.exec(line)?.[0] ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null) fence = line === fence ? null : fence;
    else kept.push(line.replace(/`[^`]*`/g, ''));
  }
  expect(fence, 'a block that does not end').to.equal(null);
  return kept.join('\n');
}
