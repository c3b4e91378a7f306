import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { codePoint } from '../../../kit/any-text.js';
import { chatBody } from '../../../../src/domain/messages/chat/chat-body.js';
import type { ChatFormat } from '../../../../src/domain/messages/chat/format.js';
import { messageTypes, type MessageType } from '../../../../src/domain/messages/message-types.js';
import { faultsForSlack } from './slack-schema.js';
import { faultsForTeams } from './teams-card.js';

const origin = 'https://tests.example.org';
const team = 'team_01j00000000000000000000001';
const project_id = 'project_01j00000000000000000000002';
const run_id = 'run_01j00000000000000000000003';
const result_id = 'result_01j00000000000000000000004';
const group_id = 'group_01j00000000000000000000005';
const test_id = 'test_01j00000000000000000000006';

const chats = ['slack', 'teams'] as const satisfies readonly ChatFormat[];
const faultsFor = { slack: faultsForSlack, teams: faultsForTeams };

type Names = { test: string; run: string; project: string; branch: string; owner: string; error: string };
const plain: Names = {
  test: 'pays by card',
  run: 'nightly',
  project: 'shop',
  branch: 'main',
  owner: 'checkout',
  error: 'the till is closed',
};

/** The `data` of a message of each type, with these names in it. */
function dataOf(type: MessageType, names: Names, groups = 12): object {
  const project = { project_id, name: names.project };
  const metadata = { branch: names.branch, environment: { os: 'linux' } };
  const counts = { total: 5_003, passed: 3, failed: 5_000, skipped: 0, known_fail: 0 };
  const run = { test_run_id: run_id, label: names.run, metadata, counts };
  const result = { test_result_id: result_id, test_name: names.test, error_message: names.error, metadata };
  const group = { group: group_id, title: names.error, tests: 417, results: 417, new: true };
  const owners = Array.from({ length: 20 }, (_, n) => `${names.owner}${n}`);
  const test = { id: test_id, name: names.test, project_id };
  switch (type) {
    case 'test.failed':
      return { result, run, project, group: { id: group_id, title: names.error }, known: false };
    case 'test.recovered':
      return { result, run, project, environment: { os: 'linux' }, failure: result };
    case 'test.flaky':
    case 'test.broken':
    case 'test.stabilised':
      return { test, environment: { [names.branch]: names.run }, project };
    case 'group.failed':
      return { ...group, owners, examples: Array.from({ length: 5 }, () => result), run, project };
    case 'group.new':
      return { ...group, owner: names.owner, known: false, result, run, project };
    case 'group.gone':
      return { ...group, tests: 2, owner: names.owner, run, project };
    case 'group.back': {
      const examples = Array.from({ length: 5 }, () => result);
      return { ...group, owners, examples, run, project, gone_at: '2026-11-20T12:00:00.000Z' };
    }
    case 'known_failure.set':
    case 'known_failure.ended': {
      const known_failure = { reason: names.error, branch: names.branch, environment: { os: names.run } };
      return { test, known_failure, project, ended: 'expired' };
    }
    case 'run.completed': {
      const failures = Array.from({ length: groups }, () => ({ ...group, owners }));
      return { run, completion: 1, project, gate: 'failed', failures };
    }
    case 'run.incomplete':
      return { run, project, shards: { total: 3, missing: [2, 3] } };
    case 'main.red':
    case 'main.green': {
      const track = { branch: names.branch, tool: names.run, environment: { os: names.owner } };
      return { ...track, run, project, red_since: { run_id, at: '2026-11-20T12:00:00.000Z' } };
    }
    case 'digest.daily': {
      const counts = { new: 2, fixed: 1, flaky: 3, known_ending: 1, lost_ms: 500_000 };
      const by_owner = owners.map((owner) => ({ owner, ...counts }));
      return { day: '2026-11-20', ...counts, runs: 7, by_owner, project };
    }
    case 'webhook.ping':
      return { webhook_id: 'webhook_01j00000000000000000000007' };
  }
}

const types = Object.keys(messageTypes) as MessageType[];

function bodyOf(type: MessageType, format: ChatFormat, data: object, at = origin): string {
  const payload = JSON.stringify({ type, timestamp: '2026-11-21T12:00:00.000Z', data });
  return chatBody(payload, format, { origin: at, team });
}

/** All texts and all URLs of a body, with the texts of Slack that have markup apart. */
function partsOf(body: string): { texts: string[]; urls: string[]; marked: string[] } {
  const found = { texts: [] as string[], urls: [] as string[], marked: [] as string[] };
  const { text, ...rest } = JSON.parse(body) as { text?: string };
  if (text !== undefined) found.marked.push(text);
  const look = (value: unknown, name = ''): void => {
    if (typeof value === 'object' && value !== null)
      for (const [each, inner] of Object.entries(value)) look(inner, each);
    if (name === 'text') found.texts.push(value as string);
    if (name === 'url') found.urls.push(value as string);
  };
  look(rest);
  return found;
}

describe('a message in a chat', () => {
  for (const format of chats) {
    describe(`of ${format}`, () => {
      it('is what the chat takes, has links to this server, and at most 3,000 characters, for each type', () => {
        for (const type of types) {
          const body = bodyOf(type, format, dataOf(type, plain));
          expect(faultsFor[format](JSON.parse(body)), type).to.deep.equal([]);
          expect(body.length, type).to.be.at.most(3_000);
          const { urls } = partsOf(body);
          expect(urls.length, type).to.be.at.least(1);
          for (const url of urls) expect(url).to.match(/^https:\/\/tests\.example\.org\/[\w/]+$/);
        }
      });

      it('is so whatever the names are, and however long the address of this server is', () => {
        const name = fc.oneof(
          fc.string({ unit: codePoint, maxLength: 600 }),
          fc.constantFrom('"', '\\', '&', '<', '@', '\u202e', '\u200b', '😀', '{{', '*_~`').chain((one) => {
            return fc.integer({ min: 0, max: 600 }).map((times) => one.repeat(times));
          }),
        );
        const names = fc.record({
          test: name,
          run: name,
          project: name,
          branch: name,
          owner: name,
          error: name,
        });
        const at = `https://${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.org:65535`;
        fc.assert(
          fc.property(names, fc.constantFrom(...types), fc.integer({ min: 0, max: 20 }), (each, type, n) => {
            const body = bodyOf(type, format, dataOf(type, each, n), at);
            expect(faultsFor[format](JSON.parse(body))).to.deep.equal([]);
            expect(body.length).to.be.at.most(3_000);
          }),
          { numRuns: 100 },
        );
      });

      it('has no mention, no link and no markup of a name', () => {
        const hostile = [
          '<!channel>',
          '<@U123>',
          '<http://x|y>',
          '*b*',
          '_i_',
          '~s~',
          '`c`',
          '[a](b)',
          '[a](https://evil.example)',
          '<at>x</at>',
          '@here',
          '#general',
          ':skull:',
          'www.evil.example',
          'https://evil.example/',
          'a@evil.example',
          '{{DATE(2026-11-21T12:00:00Z)}}',
          '&lt;!channel&gt;',
          '> quoted',
          '\u202egnp.exe',
          'a\u200bb\u2066c\u200d',
          '\n# heading\n- list',
        ];
        for (const each of hostile) {
          const names = {
            test: each,
            run: each,
            project: each,
            branch: each.trim(),
            owner: each,
            error: each,
          };
          for (const type of types) {
            const { texts, urls, marked } = partsOf(bodyOf(type, format, dataOf(type, names)));
            for (const url of urls) expect(url).to.match(/^https:\/\/tests\.example\.org\/[\w/]+$/);
            // These stand where Slack and Teams know no markup; nothing in them may look like an address or a function.
            for (const text of texts) {
              expect(text.replaceAll('\u200b', '')).to.not.match(/(?!\n)\p{Cc}|\p{Cf}|[\u2028\u2029]/u);
              expect(text).to.not.match(/<[!@a-z/]|@\w|#\w|\]\(|:\/\/|www\.\w|\{\{/u);
            }
            for (const text of marked) {
              expect(text).to.not.match(/[<>*~`]|&(?!(?:amp|lt|gt);)|@\w|#\w|:\w|:\/|\w\.\w|\n/u);
              expect(text).to.not.match(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u);
            }
          }
        }
      });

      it('says how many groups it has no room for, and links to all of them', () => {
        const body = bodyOf('run.completed', format, dataOf('run.completed', plain));
        const { texts, urls } = partsOf(body);
        const shown = urls.filter((url) => url.includes('/groups/')).length;
        expect(shown).to.be.within(3, 11);
        expect(texts).to.include(`and ${12 - shown} more`);
        expect(urls).to.include(`${origin}/runs/${run_id}`);
      });

      it('has the same bytes each time', () => {
        for (const type of types) {
          const [one, other] = [0, 1].map(() => bodyOf(type, format, dataOf(type, plain)));
          expect(one).to.equal(other);
        }
      });

      it('says when its type is sent, of what, and leads there, where the type has no words of its own', () => {
        const data = { project: { project_id, name: 'shop' }, test: { id: test_id, name: 'pays by card' } };
        const later = { ...messageTypes['test.flaky'], when: 'a test becomes broken' };
        Object.assign(messageTypes, { 'test.later': later });
        try {
          const body = bodyOf('test.later' as MessageType, format, data);
          const { texts, urls } = partsOf(body);
          expect(texts).to.include('A test becomes broken: pays by card');
          expect(urls).to.deep.equal([`${origin}/tests/${test_id}`]);
          expect(faultsFor[format](JSON.parse(body))).to.deep.equal([]);
        } finally {
          Reflect.deleteProperty(messageTypes, 'test.later');
        }
      });
    });
  }

  it('is as the examples in the documents say', async () => {
    const page = await readFile('docs/webhooks.md', 'utf8');
    const examples = [...page.matchAll(/```json\n(.*?)```/gsu)].map(([, text]) => JSON.parse(text!));
    const project = { project_id, name: 'shop' };
    const counts = { total: 420, passed: 3, failed: 417, skipped: 0, known_fail: 0 };
    const run = { test_run_id: run_id, label: 'nightly', metadata: { branch: 'main' }, counts };
    const group = {
      group: group_id,
      title: 'the till is closed',
      tests: 417,
      results: 417,
      new: true,
      owners: [],
    };
    const result = { test_result_id: result_id, test_name: 'pays by card', error_message: null };
    const failed = { ...group, examples: [result], run, project };
    const completed = { run, project, completion: 1, gate: 'failed', failures: [group] };
    expect(examples).to.deep.equal([
      JSON.parse(bodyOf('group.failed', 'slack', failed)),
      JSON.parse(bodyOf('run.completed', 'teams', completed)),
    ]);
  });
});
