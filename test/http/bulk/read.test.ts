import { expect } from 'chai';
import { readSubmission, type Checks } from '../../../src/http/bulk/read.js';
import { itemsIn } from '../../../src/domain/runs/item-chunk.js';
import { loadSchemas } from '../../../src/validation/schemas.js';
import { isAppError, type ErrorCode } from '../../../src/errors.js';
import { NOW } from '../../stores.js';

describe('reading a submission', () => {
  let checks: Checks;
  before(() => {
    const schemas = loadSchemas('requests', ['SubmitItem', 'SubmitRun']);
    checks = { run: schemas.get('SubmitRun')!.check, item: schemas.get('SubmitItem')!.check };
  });

  const project_id = 'project_1';
  const fine = { name: 'adds up', status: 'passed' };
  const bodyOf = (results: unknown, more: object = {}) => JSON.stringify({ project_id, ...more, results });
  const read = (body: string | Uint8Array) =>
    readSubmission(typeof body === 'string' ? Buffer.from(body) : body, { now: NOW, checks, hash: null });
  const born = {
    submission_id: 'run_1',
    run_id: 'run_1',
    project_id,
    finished_at: NOW,
    branch: null,
    commit: null,
    environment: '',
  };
  const dataOf = (body: string): any[] =>
    [...read(body).items.appends(born, { events: 1e6, bytes: 1e9 })]
      .flat()
      .flatMap(({ json }) => itemsIn(JSON.parse(json), 'run_1'));

  function refused(body: string | Uint8Array, code: ErrorCode) {
    try {
      read(body);
    } catch (error) {
      if (isAppError(error, code)) return error;
      throw error;
    }
    return expect.fail(`was taken: ${String(body).slice(0, 200)}`);
  }
  const faults = (body: string) =>
    refused(body, 'validation_failed').fields.map(({ pointer, code }) => `${pointer} ${code}`);

  it('accepts a run with all of its fields', () => {
    const more = {
      label: 'nightly',
      metadata: { branch: 'main' },
      started_at: '2026-11-21T10:00:00+01:00',
      finished_at: '2026-11-21T11:00:00Z',
    };
    const joined = { run_key: 'build 7', shard: { index: 2, total: 3 } };
    expect(read(bodyOf([fine], { ...more, ...joined })).run).to.deep.equal({
      project_id,
      run_key: 'build 7',
      shard: { index: 2, total: 3, attempt: 1 },
      complete: false,
      submission_key: null,
      ...more,
      started_at: '2026-11-21T09:00:00.000Z',
      finished_at: '2026-11-21T11:00:00.000Z',
    });
  });

  it('takes no results only where they complete a run with a key, or where a shard had no tests', () => {
    const key = { run_key: 'build 7' };
    expect(read(bodyOf([], { ...key, shard: { index: 3, total: 3 } })).items.count).to.equal(0);
    expect(read(bodyOf([], { ...key, complete: true })).items.count).to.equal(0);
    expect(read(JSON.stringify({ project_id, ...key, complete: true })).items.count).to.equal(0);
    for (const more of [{}, key, { ...key, complete: false }]) {
      expect(faults(bodyOf([], more))).to.deep.equal(['/results too_few']);
      expect(faults(JSON.stringify({ project_id, ...more }))).to.deep.equal(['/results required']);
    }
  });

  it('refuses a shard or a completion without a key, and a shard that cannot be', () => {
    const key = { run_key: 'build 7' };
    const shard = { index: 1, total: 2 };
    const refusals: [object, string][] = [
      [{ shard }, '/shard needs_key'],
      [{ complete: true }, '/complete needs_key'],
      [{ submission_key: 'a' }, '/submission_key needs_key'],
      [{ run_key: null, complete: false }, '/complete needs_key'],
      [{ ...key, shard: { index: 3, total: 2 } }, '/shard/index too_large'],
      [{ ...key, shard: { index: 0, total: 2 } }, '/shard/index too_small'],
      [{ ...key, shard: { index: 1, total: 1_001 } }, '/shard/total too_large'],
      [{ ...key, shard: { ...shard, attempt: 1_001 } }, '/shard/attempt too_large'],
      [{ ...key, shard: { index: 1 } }, '/shard/total required'],
      [{ ...key, shard, complete: true }, '/complete not_allowed'],
      [{ run_key: '' }, '/run_key too_short'],
      [{ run_key: 'x'.repeat(256) }, '/run_key too_long'],
    ];
    for (const [more, fault] of refusals) {
      expect(faults(bodyOf([fine], more)), JSON.stringify(more)).to.deep.equal([fault]);
    }
  });

  it('refuses an item that supersedes more than 1,000 others, and takes any number that it does not supersede', () => {
    const tries = (count: number, attempt: number) =>
      Array.from({ length: count }, () => ({ ...fine, attempt }));
    expect(faults(bodyOf([...tries(1_001, 1), ...tries(1, 2)]))).to.deep.equal([
      '/results/1001/attempt too_many',
    ]);
    expect(faults(bodyOf([...tries(1, 3), ...tries(1_500, 2)]))).to.deep.equal([
      '/results/0/attempt too_many',
    ]);
    for (const taken of [
      [...tries(1_000, 1), ...tries(1, 2)],
      [...tries(1, 1), ...tries(3_000, 2)],
      tries(3_000, 1),
    ]) {
      expect(read(bodyOf(taken)).items.count).to.equal(taken.length);
    }
  });

  it('treats null as missing where a field can be null', () => {
    const nothing = { label: null, metadata: null, started_at: null, finished_at: null };
    expect(read(bodyOf([fine], nothing)).run).to.deep.equal(read(bodyOf([fine])).run);
    const item = { ...fine, duration_ms: null, error_message: null, metadata: null, started_at: null };
    expect(dataOf(bodyOf([item]))).to.deep.equal(dataOf(bodyOf([fine])));
    expect(faults(bodyOf([{ ...fine, attempt: null }]))).to.deep.equal(['/results/0/attempt wrong_type']);
  });

  it('starts a run with its earliest item if the run has no start', () => {
    const items = ['2026-11-20T02:00:00Z', '2026-11-20T01:00:00Z'].map((started_at) => ({
      ...fine,
      started_at,
    }));
    expect(read(bodyOf(items)).run.started_at).to.equal('2026-11-20T01:00:00.000Z');
    const own = { started_at: '2026-11-20T05:00:00Z' };
    expect(read(bodyOf(items, own)).run.started_at).to.equal('2026-11-20T05:00:00.000Z');
  });

  it('refuses a finish before the start that follows from the earliest item', () => {
    const items = ['2026-11-20T02:00:00Z', '2026-11-20T01:00:00Z'].map((started_at) => ({
      ...fine,
      started_at,
    }));
    const early = { finished_at: '2026-11-20T00:59:59.999Z' };
    expect(faults(bodyOf(items, early))).to.deep.equal(['/finished_at out_of_order']);
    expect(faults(bodyOf(items, { ...early, started_at: null }))).to.deep.equal([
      '/finished_at out_of_order',
    ]);
    read(bodyOf(items, { ...early, started_at: '2026-11-20T00:00:00Z' }));
    read(bodyOf(items, { finished_at: '2026-11-20T01:00:00Z' }));
  });

  it('accepts a clock that is a little fast if no finish was sent', () => {
    const started_at = new Date(Date.parse(NOW) + 5_000).toISOString();
    expect(read(bodyOf([{ ...fine, started_at }])).run).to.include({ started_at, finished_at: null });
  });

  it('finishes items after their duration, with the run, or not at all', () => {
    const started_at = '2026-11-20T01:00:00Z';
    const items = [
      { ...fine, started_at, duration_ms: 1_500 },
      { ...fine, started_at },
      { ...fine, duration_ms: 7 },
      { ...fine, status: 'running', started_at, duration_ms: 5 },
      { ...fine, status: 'pending' },
    ];
    const read = dataOf(bodyOf(items)).map((data) => [
      data.status,
      data.started_at,
      data.finished_at,
      data.execution_time_ms,
    ]);
    const start = '2026-11-20T01:00:00.000Z';
    expect(read).to.deep.equal([
      ['Passed', start, '2026-11-20T01:00:01.500Z', 1_500],
      ['Passed', start, null, null],
      ['Passed', null, NOW, 7],
      ['Running', start, null, 5],
      ['Pending', null, null, null],
    ]);
  });

  it('names every fault of the run and of its items', () => {
    const items = [
      fine,
      { ...fine, name: 'x', extra: 1 },
      { name: 'no status' },
      { ...fine, status: 'Passed' },
      { ...fine, duration_ms: 2 ** 31, attempt: 1_001 },
      { ...fine, started_at: '2026-11-22T12:00:00.001Z' },
      { ...fine, metadata: { a: '\0' } },
      'not an item',
    ];
    expect(faults(bodyOf(items, { label: 'x', unknown: true }))).to.have.members([
      '/label too_short',
      '/unknown unknown_field',
      '/results/1/name too_short',
      '/results/1/extra unknown_field',
      '/results/2/status required',
      '/results/3/status not_allowed',
      '/results/4/duration_ms too_large',
      '/results/4/attempt too_large',
      '/results/5/started_at too_late',
      '/results/6/metadata metadata_limit',
      '/results/7 wrong_type',
    ]);
  });

  it('names at most 100 bad items, each at least once', () => {
    const items = Array.from({ length: 300 }, () => ({ name: 'x', status: 'x' }));
    const named = faults(bodyOf(items)).map((fault) => fault.split('/')[2]);
    expect(named).to.deep.equal(Array.from({ length: 100 }, (_, at) => String(at)));
  });

  it('compares the instants of the run with each other and with the present', () => {
    const instants = { started_at: '2026-11-21T11:00:00Z', finished_at: '2026-11-21T10:59:59Z' };
    expect(faults(bodyOf([fine], instants))).to.deep.equal(['/finished_at out_of_order']);
    expect(faults(bodyOf([fine], { started_at: '2026-11-22T12:00:01Z' }))).to.deep.equal([
      '/started_at too_late',
    ]);
    expect(read(bodyOf([fine], { finished_at: '1999-01-01T00:00:00Z' })).items.count).to.equal(1);
  });

  it('refuses a duplicate name in the body or in an item, but not in metadata', () => {
    const item = '{"name":"ab","status":"passed"}';
    expect(faults(`{"project_id":"x","project_id":"x","results":[${item}]}`)).to.deep.equal([
      '/project_id twice',
    ]);
    expect(faults(`{"project_id":"x","results":[${item}],"results":[${item}]}`)).to.include('/results twice');
    const twice = '{"name":"ab","status":"passed","\\u006eame":"cd"}';
    expect(faults(`{"project_id":"x","results":[${item},${twice}]}`)).to.deep.equal([
      '/results/1/name twice',
    ]);
    const free = '{"name":"ab","status":"passed","metadata":{"a":1,"a":2}}';
    expect(read(`{"project_id":"x","metadata":{"a":1,"a":2},"results":[${free}]}`).items.count).to.equal(1);
  });

  it('accepts 1 to 50,000 items', () => {
    const many = Array.from({ length: 50_000 }, () => fine);
    expect(read(bodyOf(many)).items.count).to.equal(50_000);
    expect(faults(bodyOf([...many, fine]))).to.deep.equal(['/results too_many']);
    expect(faults(bodyOf([]))).to.deep.equal(['/results too_few']);
    expect(faults(bodyOf({}))).to.deep.equal(['/results wrong_type']);
    expect(faults('{}')).to.deep.equal(['/project_id required', '/results required']);
    expect(faults('')).to.deep.equal(['/project_id required', '/results required']);
  });

  it('names line and column of broken JSON, in the body and in an item', () => {
    const detail = (body: string) => refused(body, 'invalid_json').message;
    expect(detail('{"project_id":"x",\n "results":[{"name" "ab"}]}')).to.match(/line 2, column 21/);
    expect(detail('{"project_id":"x",\n "results":[{}],\n}')).to.match(/line 3, column 1/);
    expect(detail('{"results":[{},]}')).to.match(/line 1, column 16/);
    for (const broken of ['{', '[}', '{"results":[', '{"results":[1}}', '}', 'x']) detail(broken);
  });

  it('names the line and column of a fault far behind, whatever the width of the characters', () => {
    const item = JSON.stringify({ ...fine, name: 'é😀' });
    const lines = Array.from({ length: 20_000 }, () => item).join(',\n');
    const detail = (body: string) => refused(body, 'invalid_json').message;
    const broken = `{"project_id":"x","results":[\n${lines},\n${item.slice(0, -1)},}]}`;
    expect(detail(broken)).to.include(`line 20002, column ${item.length + 1}.`);
    expect(detail(`{"project_id":"x","results":[\n${lines}],\n😀}`)).to.match(/line 20002, column 1\./);
  });

  it('does not search a large body that ends early for the place, even if it is blank', () => {
    const { message } = refused(`{${' '.repeat(20 * 1024 * 1024)}`, 'invalid_json');
    expect(message).to.equal('The body is not valid JSON.');
    expect(refused(`{,${' '.repeat(20 * 1024 * 1024)}`, 'invalid_json').message).to.match(/line 1, column 2/);
  });

  it('refuses bytes that are not UTF-8, and text that is not well-formed', () => {
    const [before, after] = bodyOf([{ ...fine, name: 'here' }]).split('here');
    const bytes = Buffer.concat([Buffer.from(before!), Buffer.from([0x61, 0xff]), Buffer.from(after!)]);
    refused(bytes, 'invalid_json');
    expect(faults(bodyOf([{ ...fine, name: 'a\ud800' }]))).to.deep.equal(['/results/0/name not_text']);
    expect(dataOf(bodyOf([{ ...fine, name: 'é😀' }]))[0].test_name).to.equal('é😀');
  });

  it('never parses a text that is small but huge once parsed', () => {
    const MIB = 1024 * 1024;
    const lists = '[],'.repeat(3 * MIB);
    expect(faults(bodyOf([fine]).replace('}]', `,"metadata":{"a":[${lists}0]}}]`))).to.deep.equal([
      '/results/0 too_large',
    ]);
    const numbers = JSON.stringify(Array.from({ length: 5_200 }, () => 1));
    const fields = Array.from({ length: 5_200 }, (_, n) => `"field ${n}":1`).join();
    expect(faults(bodyOf([fine]).replace('}]', `,"metadata":{"a":${numbers}}}]`))).to.deep.equal([
      '/results/0 too_many',
    ]);
    expect(faults(`{"project_id":"${project_id}","results":[{${fields}}]}`)).to.deep.equal([
      '/results/0 too_many',
    ]);
    expect(faults(`{"results":[${lists}0]}`)).to.deep.equal(['/results too_many']);
    expect(refused(`{"x":[${lists}0]}`, 'payload_too_large').code).to.equal('payload_too_large');
    expect(faults('['.repeat(8 * MIB))).to.deep.equal([' too_deep']);
    expect(faults(`{"results":${'['.repeat(8 * MIB)}`)).to.deep.equal([' too_deep']);
  });
});
