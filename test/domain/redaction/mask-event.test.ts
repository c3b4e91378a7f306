import { expect } from 'chai';
import type { RecordedEvent } from '../../../src/domain/event.js';
import { fieldsMasked, maskEvent, type Rule } from '../../../src/domain/redaction/mask-event.js';
import { CHUNK_TYPE, itemIn, metaIn, type ItemChunk } from '../../../src/domain/runs/item-chunk.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { idOf } from '../ids.js';

const [project, run] = [idOf('project'), idOf('run')];
const at = (n: number) => String(n).padStart(20, '0');

function event(type: string, data: object, facts?: Record<string, unknown>, position = at(1)): RecordedEvent {
  const meta = { team_id: 'team_1', actor: 'key_1', at: '', correlation_id: '', causation_id: null };
  return {
    id: '',
    type,
    version: 1,
    stream: `run-team_1.${run}`,
    revision: 0,
    position,
    data,
    meta: { ...meta, ...(facts && { facts }) },
  };
}

const rule = (text: string, more: { project?: string } = {}): Rule => ({
  up_to: at(5),
  project: null,
  text,
  ...more,
});

describe('a masked event', () => {
  it('lacks a text in names, labels, metadata and their names, and keeps ids and fixed words', () => {
    const data = {
      run_id: run,
      project_id: project,
      run_key: 'Passed 1',
      label: 'a Passed b',
      metadata: { Passed: ['x Passed', { y: 'Passed' }], z: 1 },
    };
    const masked = maskEvent(event('RunCreated', data), [rule('Passed')]);
    expect(masked.data).to.deep.equal({
      run_id: run,
      project_id: project,
      run_key: '[redacted] 1',
      label: 'a [redacted] b',
      metadata: { '[redacted]': ['x [redacted]', { y: '[redacted]' }], z: 1 },
    });
    const result = event('ResultCreated', { test_name: 'adds up', status: 'Passed', result_id: 'Passed' });
    expect(maskEvent(result, [rule('Passed')])).to.equal(result);
    expect(fieldsMasked(event('RunCreated', data), rule('Passed'))).to.deep.equal([
      'label',
      'run_key',
      'metadata',
    ]);
  });

  it('lacks a text in reasons, filters, claims and acts, and keeps the words that programs read', () => {
    const filter = { branches: ['a partial branches'], environments: null, owners: ['partial'], known: true };
    const words = ['partial', 'branches', 'project_id', 'expiry'].map((text) => rule(text));
    const masked = (type: string, data: object, facts?: Record<string, unknown>) =>
      maskEvent(event(type, data, facts), words);
    expect(masked('WebhookCreated', { filter }).data).to.deep.equal({
      filter: { ...filter, branches: ['a [redacted] [redacted]'], owners: ['[redacted]'] },
    });
    expect(masked('KnownFailureSet', { reason: 'partial' }).data).to.deep.equal({ reason: '[redacted]' });
    expect(masked('TrustCreated', { audience: 'us', claims: { sub: 'x:partial' } }).data).to.deep.equal({
      audience: 'us',
      claims: { sub: 'x:[redacted]' },
    });
    const details = { project_id: project, branch: 'partial' };
    expect(masked('ActRecorded', { act: 'badge_made', details }).data).to.deep.equal({
      act: 'badge_made',
      details: { ...details, branch: '[redacted]' },
    });
    const fixed = [
      event('ArtifactDeleted', { reason: 'expiry' }),
      event('RunCreated', { report: { partial: true } }, { entry: { branches: null, project_id: project } }),
    ];
    for (const one of fixed) expect(maskEvent(one, words)).to.equal(one);
  });

  it('lacks whole fields of a thing, of a restored log, where only their names are known', () => {
    const data = { project_id: project, reason: 'a secret', expires_at: '2026-12-01T00:00:00.000Z' };
    const of = (fields: string[], id: string = project): Rule => ({
      up_to: at(5),
      fields: new Map([[id, new Set(fields)]]),
    });
    const masked = maskEvent(event('KnownFailureSet', data), [of(['reason', 'expires_at'])]);
    expect(masked.data).to.deep.equal({ ...data, reason: '[redacted]' });
    const artifact = event('ArtifactDeleted', { project_id: project, reason: 'expiry' });
    expect(maskEvent(artifact, [of(['reason'])])).to.equal(artifact);
    const filter = { branches: ['a secret'], environments: null, only_new: false };
    const webhook = { ...event('WebhookChanged', { filter }), id: 'event_1' };
    expect(maskEvent(webhook, [of(['filter'], 'event_1')]).data).to.deep.equal({
      filter: { ...filter, branches: ['[redacted]'] },
    });
  });

  it('is the same object beyond the position and the project of a mask, and without the text', () => {
    const label = { run_id: run, project_id: project, label: 'a secret' };
    for (const [position, one] of [
      [at(6), rule('secret')],
      [at(1), rule('secret', { project: idOf('project', 2) })],
      [at(1), rule('another')],
    ] as const) {
      const same = event('RunDescribed', label, undefined, position);
      expect(maskEvent(same, [one])).to.equal(same);
    }
    const item = event('RunDescribed', label, undefined, `${at(5)}-000001`);
    expect((maskEvent(item, [rule('secret')]).data as typeof label).label).to.equal('a [redacted]');
  });

  it('says the id of its test, which was made from the name, however often it is masked', () => {
    const name = 'pays secret-1 and secret-2';
    const data = { result_id: idOf('result'), project_id: project, test_name: name };
    const once = maskEvent(event('ResultCreated', data), [rule('secret-1')]);
    const twice = maskEvent(once, [rule('secret-2')]);
    expect(twice.data).to.deep.equal({ ...data, test_name: 'pays [redacted] and [redacted]' });
    expect(twice.meta.facts).to.deep.equal({ test_id: testIdOf(project, name) });
    expect(maskEvent(twice, [rule('secret-1'), rule('secret-2')])).to.equal(twice);
  });

  it('says the ids of the tests of a chunk of items, of those alone whose names are masked', () => {
    const chunk = {
      item_version: 1,
      first: 0,
      count: 2,
      run_id: run,
      project_id: project,
      run_branch: 'main',
      run_commit: null,
      run_finished_at: '',
      test_name: ['pays secret-1', 'adds up'],
      status: 'Passed',
      error_message: null,
      metadata: null,
      started_at: null,
      finished_at: 0,
      execution_time_ms: null,
      attempt: 1,
    } as unknown as ItemChunk;
    const { data, meta } = maskEvent(event(CHUNK_TYPE, chunk), [rule('secret-1')]);
    const masked = data as ItemChunk;
    expect([0, 1].map((n) => itemIn(masked, run, n).test_name)).to.deep.equal(['pays [redacted]', 'adds up']);
    expect([0, 1].map((n) => metaIn(masked, meta, n).facts?.['test_id'])).to.deep.equal([
      testIdOf(project, 'pays secret-1'),
      undefined,
    ]);
  });

  it('of a redacted run keeps the fields of filters, and of an event only the fields that it sets', () => {
    const data = { run_id: run, project_id: project, metadata: { branch: 'main', note: 'a secret' } };
    const of: Rule = { up_to: at(5), run };
    const masked = maskEvent(event('RunDescribed', data), [of]);
    expect(masked.data).to.deep.equal({ run_id: run, project_id: project, metadata: { branch: 'main' } });
    const other = event('RunDescribed', { ...data, run_id: idOf('run', 2) });
    expect(maskEvent(other, [of])).to.equal(other);
  });
});
