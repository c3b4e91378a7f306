import { expect } from 'chai';
import { codePoint } from '../../kit/any-text.js';
import { defaultGate } from '../../../src/domain/gate/judge-gate.js';
import fc from 'fast-check';
import { summarize, SUMMARY_BYTES } from '../../../src/cli/summary/summary.js';
import { summaryFormats } from '../../../src/cli/summary/markup.js';
import type { Run } from '../../../src/cli/summary/facts.js';
import { factsOf, groupOf, resultOf } from './facts.js';

describe('summary of a run', () => {
  const failing = factsOf({
    counts: { new_failures: 3, still_failing: 7, known: 2, flaky: 1 },
    groups: [
      groupOf({ title: 'timeout of the cart', results: 8, tests: 4, names: ['a', 'b', 'c'] }),
      groupOf({ names: ['signs in'], new: false }),
    ],
    flaky: [resultOf({ name: 'sometimes' })],
    known: [resultOf({ name: 'always', owner: '@shop/team' }), resultOf({ name: 'ever' })],
  });

  it('begins with one line of verdict', () => {
    const [first] = summarize(failing, 'github').split('\n');
    expect(first).to.equal(
      '### ✗ 12 failed: 3 new, 7 also on main, 2 known · 1 flaky · 48,211 passed · 6m 12s',
    );
  });

  it('names a run with nothing to compare, a run without failures, and a run that is not over', () => {
    const first = factsOf({ baseline: null, counts: { new_failures: 2, known: 1 } });
    expect(summarize(first, 'github')).to.match(
      /^### ✗ 3 failed: 2 new, 1 known, nothing to compare with · /u,
    );
    expect(summarize(factsOf({}), 'github')).to.match(/^### ✓ Nothing failed · 48,211 passed · 6m 12s\n/u);
    const shards = { total: 4, received: [{ index: 2 }, { index: 2 }, { index: 4 }] };
    const half = factsOf({ run: { status: 'running', shards } });
    expect(summarize(half, 'github')).to.match(/^### … Nothing failed so far · .* · 2 of 4 shards\n/u);
  });

  it('says how many tests of the baseline are missing, and which runs were passed over', () => {
    const facts = factsOf({ counts: { removed: 206 } });
    const comparison = { ...facts.comparison, tests: 6_488, baseline_tests: 6_694, removed_files: 3 };
    const said = (more: Partial<typeof comparison>) =>
      summarize({ ...facts, comparison: { ...comparison, ...more } }, 'github');
    const missing = 'Ran 6,488 of 6,694 tests of <code>main</code>; 206 missing, in 3 files.';
    expect(said({})).to.include(missing);
    expect(said({ passed_over: { runs: 1, reason: 'set_aside' } })).to.include(
      'A newer run was passed over because somebody set it aside.',
    );
    expect(said({ passed_over: { runs: 12, reason: 'incomplete' } })).to.include(
      `${missing}\n\n12 newer runs were passed over, the newest because it is incomplete.`,
    );
    expect(summarize(factsOf({}), 'github'))
      .not.to.include('passed over')
      .and.not.to.include('missing');
  });

  it('says that nobody looked for missing tests where there is nothing to compare with', () => {
    const first = factsOf({ baseline: null });
    const uncompared =
      'No earlier run of <code>main</code> to compare with: tests that are missing were not looked for.';
    expect(summarize(first, 'github')).to.include(uncompared);
    const comparison = { ...first.comparison, passed_over: { runs: 1, reason: 'empty' as const } };
    expect(summarize({ ...first, comparison }, 'github')).to.include(
      `${uncompared.replace('main</code>', 'main</code> is fit')}\n\nAn earlier run was passed over because nothing ran in it.`,
    );
    expect(summarize(factsOf({}), 'github')).not.to.include('looked for');
  });

  it('does not call a run a success of which a shard never came, or that is not counted to its end', () => {
    const shards = { total: 2, received: [{ index: 1 }] };
    const half = factsOf({ run: { status: 'completed', shards } });
    expect(summarize(half, 'github')).to.match(/^### – Nothing failed · .* · 1 of 2 shards\n/u);
    const whole = factsOf({ run: { shards: { total: 1, received: [{ index: 1 }] } } });
    expect(summarize(whole, 'github')).to.match(/^### ✓ Nothing failed · 48,211 passed · 6m 12s\n/u);
    expect(summarize(factsOf({ isCurrent: false }), 'github')).to.match(
      /^### … Nothing failed so far · .* · the server has not counted all results yet\n/u,
    );
  });

  it('does not call a run a success in which nothing ran, or nothing finished', () => {
    const none = { ...factsOf({}).run.counts, passed: 0 };
    const firstLineOf = (run: Partial<Run>) =>
      summarize(factsOf({ run: { counts: none, duration_ms: null, ...run } }), 'github').split('\n')[0];
    const empty = { total: 0, failed: 0 };
    const some = { total: 3, failed: 0 };
    expect(firstLineOf({ outcome: null, standing_counts: empty })).to.equal('### – No results');
    // The attempt that passed is superseded by one that is still running.
    const rerun = { ...none, passed: 3, running: 3 };
    expect(firstLineOf({ outcome: null, standing_counts: some, counts: rerun })).to.equal(
      '### – Nothing finished · 3 passed · 3 unfinished',
    );
    const skipped = { ...none, failed: 1, skipped: 4 };
    expect(firstLineOf({ outcome: 'skipped', standing_counts: some, counts: skipped })).to.equal(
      '### – Nothing ran · 4 skipped',
    );
    const expected = { ...none, known_fail: 1 };
    expect(firstLineOf({ outcome: 'passed', standing_counts: some, counts: expected })).to.equal(
      '### ✓ Nothing failed · 1 expected to fail',
    );
    expect(firstLineOf({ outcome: 'failed', standing_counts: { total: 3, failed: 2 } })).to.equal(
      '### ✗ 2 failed',
    );
    const status = 'running';
    expect(firstLineOf({ status, outcome: null, standing_counts: empty })).to.equal(
      '### … Waiting for results · running',
    );
    const half = { ...none, passed: 1, running: 1 };
    expect(firstLineOf({ status, outcome: null, standing_counts: some, counts: half })).to.equal(
      '### … Nothing failed so far · 1 passed · 1 still to come · running',
    );
  });

  for (const format of summaryFormats) {
    it(`shows shared causes, then single failures, flaky and known ones (${format})`, () => {
      const text = summarize(failing, format);
      const places = ['timeout of the cart', 'signs in', 'sometimes', 'always'].map((part) =>
        text.indexOf(part),
      );
      expect(places).to.not.include(-1);
      expect(places).to.deep.equal([...places].sort((a, b) => a - b));
      expect(text).to.include('and 1 more');
      expect(text).to.include('https://ledger.example/runs/run_1');
    });

    it(`keeps within its bytes, on whole blocks, and counts what it left out (${format})`, () => {
      const message = '漢字 & <b>'.repeat(1_000);
      const groups = Array.from({ length: 100 }, (_, n) =>
        groupOf({
          tests: 12,
          names: Array.from({ length: 10 }, (__, m) => `${'*'.repeat(200)} ${n}.${m}`),
          example: resultOf({ error_message: message }),
        }),
      );
      const facts = factsOf({ groups, groupsTotal: 5_000, counts: { new_failures: 5_000, flaky: 40 } });
      const text = summarize(facts, format);
      expect(Buffer.byteLength(text)).to.be.within(SUMMARY_BYTES / 2, SUMMARY_BYTES);
      expect(text.match(/<details>/gu)?.length).to.equal(text.match(/<\/details>/gu)?.length);
      expect(text.match(/<pre>/gu)?.length).to.equal(text.match(/<\/pre>/gu)?.length);
      expect(text).to.match(
        /Left out here: \d+ groups of failures, 4,900 other causes of failures, 40 flaky results\./u,
      );
    });
  }

  it('keeps within its bytes whatever the texts are', () => {
    const text = fc.string({ unit: codePoint, maxLength: 4_000 });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 60 }),
        text,
        fc.constantFrom(...summaryFormats),
        (names, more, format) => {
          const example = resultOf({ name: more, error_message: more.repeat(20), file: more, owner: more });
          const groups = names.map((name) => groupOf({ title: name, tests: 2, names, example }));
          const facts = factsOf({ groups, run: { branch: more, label: more, commit: more, ci_url: more } });
          expect(Buffer.byteLength(summarize(facts, format))).to.be.at.most(SUMMARY_BYTES);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('hostile texts in a summary', () => {
  const hostile = [
    '</code></pre><script>alert(1)</script>',
    '--> <!-- ``` ` @everyone #12 !3 GH-1',
    '[a](javascript:alert(1)) ![b](http://evil.example/x.png) https://evil.example',
    '\u001B[31mred\u001B[0m \u202Eesrever\u200B',
    'a\n/close\n::error file=x::y\n##vso[task.setvariable]',
    '$\\href{javascript:alert(1)}{x}$ **bold** | table | ~~x~~',
  ].join('\n');
  const facts = factsOf({
    project: { id: 'project_1', name: hostile, default_branch: hostile, gate: defaultGate },
    run: { branch: hostile, label: hostile, commit: hostile, ci_url: 'javascript:alert(1)' },
    counts: { new_failures: 1, still_failing: 1, flaky: 1, known: 1 },
    groups: [
      groupOf({
        title: hostile,
        tests: 2,
        names: [hostile, 'b'],
        example: resultOf({ error_message: hostile, owner: hostile, file: hostile }),
      }),
      groupOf({ names: [hostile] }),
    ],
    flaky: [resultOf({ name: hostile })],
    known: [resultOf({ name: hostile, owner: hostile })],
  });

  for (const format of ['github', 'gitlab'] as const) {
    it(`are text, not markup, mentions or commands (${format})`, () => {
      const text = summarize(facts, format);
      const tags = new Set(text.match(/<[^>]*>/gu)?.map((tag) => tag.replace(/ href="https:[^"]*"/u, '')));
      expect([...tags].sort()).to.deep.equal(
        [
          '<code>',
          '</code>',
          '<pre>',
          '</pre>',
          '<details>',
          '</details>',
          '<summary>',
          '</summary>',
          '<a>',
          '</a>',
        ].sort(),
      );
      expect(text).to.not.match(/[@`$[\]\p{Cf}]|(?!\n)\p{Cc}|javascript:|::|##[a-z[]|^\//mu);
    });
  }

  it('are text in Markdown without HTML', () => {
    const text = summarize(facts, 'markdown');
    const outsideCode = text.split('\n').filter((line) => !line.startsWith('    '));
    // Our own: links to the server, the heading, bold, list marks.
    const theirs = outsideCode
      .join('\n')
      .replaceAll(/\[[\w\\ -]*\]\(<https:\/\/ledger\.example[^>]*>\)/gu, '');
    expect(theirs).to.not.match(/(?<!\\)[<`@[\]$|~]/u);
    expect(theirs).to.not.match(/^\//mu);
  });
});
