import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/outbox.js';
import { currentVersion, eventVersions, upcast } from '../../src/domain/event-versions.js';
import type { EventData, EventType, LedgerEvent, PastEventData } from '../../src/domain/events.js';
import { streamName, type RecordedEvent } from '../../src/domain/event.js';
import { upcastLog } from '../../src/log/upcast-log.js';
import { loadSchemas } from '../../src/validation/schemas.js';
import { openEnrich } from '../../src/webhooks/outbox/enrich.js';
import type { Batch, EventLog } from '../../src/ports/event-log.js';
import { refusalOf } from '../domain/given.js';
import { deciderOf } from '../domain/deciders.js';
import { idOf } from '../domain/ids.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { fold } from '../projections/folding.js';

/** Makes each older version, as logs hold it, from the current one. The compiler demands an entry for every version. */
const pastForms: { [Name in keyof PastEventData]: (data: EventData[TypeIn<Name>]) => PastEventData[Name] } = {
  'ProjectCreated.v1': ({ default_branch: _, ...data }) => data,
  'ProjectDescribed.v1': ({ default_branch: _, ...data }) => data,
  'ResultDeleted.v1': ({ replaces: _, ...data }) => data,
  'ResultFinished.v1': ({ test_name: _, ...data }) => data,
  'ResultSubmitted.v1': ({ replaces: _, replaced_by: __, ...data }) => data,
  'ResultUpdated.v1': ({ test_name: _, ...data }) => data,
  'RunCompleted.v1': (data) => ({ ...data, reason: data.reason === 'shards' ? 'requested' : data.reason }),
  'RunCreated.v1': ({ run_key: _, with_items: __, ...data }) => data,
};
type TypeIn<Name extends string> = Name extends `${infer Type extends EventType}.v${number}` ? Type : never;

const files = readdirSync(new URL('../../../schemas/events/', import.meta.url)).map((file) => {
  const [, type, version] = /^(\w+)\.v(\d+)\.json$/.exec(file)!;
  return { name: `${type}.v${version}`, type: type as EventType, version: Number(version) };
});

describe('the table of event versions', () => {
  it('names every schema file, and no other version', () => {
    const named = Object.entries(eventVersions).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, n) => `${type}.v${n + 1}`),
    );
    expect(named.sort()).to.deep.equal(files.map(({ name }) => name).sort());
  });

  it('has an upcaster for each older version, and for no other', () => {
    for (const [type, { version, upcasters = {} }] of Object.entries(eventVersions)) {
      const older = Array.from({ length: version - 1 }, (_, n) => String(n + 1));
      expect(Object.keys(upcasters), type).to.deep.equal(older);
    }
  });
});

describe('every version of every event', () => {
  const schemas = loadSchemas('events');
  const faults = ({ type, version, data }: RecordedEvent) => schemas.get(`${type}.v${version}`)!.check(data);
  const history = wholeHistory();
  let current: Awaited<ReturnType<typeof foldAll>>;
  before(async () => (current = await foldAll(history)));

  for (const { name, type, version } of files) {
    it(`folds as the current version does: ${name}`, async () => {
      const older = history.map((event) => (event.type === type ? inVersion(event, name, version) : event));
      const samples = older.filter((event) => event.type === type && !isNew(event as LedgerEvent));
      expect(samples.length).to.be.above(0);
      for (const sample of samples) {
        expect(faults(sample), JSON.stringify(sample.data)).to.deep.equal([]);
        const now = upcast(sample);
        expect(now.version).to.equal(currentVersion(type));
        expect(faults(now), JSON.stringify(now.data)).to.deep.equal([]);
        if (version === currentVersion(type)) expect(now).to.equal(sample);
        else
          expect(now).to.deep.include({ id: sample.id, type, meta: sample.meta, position: sample.position });
      }
      expect(await foldAll(older.map(upcast) as LedgerEvent[])).to.deep.equal(current);
    });
  }

  it('changes no stored event', () => {
    for (const event of history) {
      for (const { name, type, version } of files) {
        if (type !== event.type) continue;
        const stored = inVersion(event, name, version);
        const before = JSON.stringify(stored);
        upcast(stored);
        expect(JSON.stringify(stored)).to.equal(before);
      }
    }
  });
});

describe('an event of a newer program', () => {
  const [event] = wholeHistory() as [LedgerEvent];
  const newer = { ...event, version: currentVersion(event.type) + 1 };
  const unknown = { ...event, type: 'SomethingOfTomorrow' };

  it('is refused with a stable code, whether its version or its type is unknown', () => {
    for (const one of [newer, unknown, { ...event, type: 'constructor' }, { ...event, version: 0 }]) {
      const error = refusalOf(() => upcast(one));
      expect(error.message.includes('A newer version wrote it')).to.equal(one.version > 0);
      expect(error.code).to.equal('unknown_event');
      expect(error.message).to.include(`${one.type}.v${one.version} at position ${one.position}`);
    }
  });

  it('is refused by every read of the log, and nothing before it is lost', async () => {
    const beginning = upcastLog(logOf([[newer]]));
    const log = upcastLog(logOf([[event, newer]]));
    for (const read of [() => log.readStream(event.stream), () => beginning.readAll({ after: '' })]) {
      expect(await read().catch((error: unknown) => error)).to.include({ code: 'unknown_event' });
    }
    expect(await log.readAll({ after: '' })).to.deep.equal({
      events: [event],
      position: event.position,
      caughtUp: false,
    });
    const seen: RecordedEvent[] = [];
    const following = log.follow({ after: '', signal: new AbortController().signal });
    let error: unknown;
    try {
      for await (const { events } of following) seen.push(...events);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).to.include({ code: 'unknown_event' });
    expect(seen).to.deep.equal([event]);
  });
});

describe('a log with upcasting', () => {
  it('returns every event in its current version, from each kind of read', async () => {
    const stored = wholeHistory()
      .filter(({ type }) => type === 'ResultFinished')
      .slice(0, 1)
      .map((event) => inVersion(event, 'ResultFinished.v1', 1));
    expect(stored).to.have.lengthOf(1);
    const log = upcastLog(logOf([stored]));
    const expected = stored.map((event) => ({
      ...event,
      version: currentVersion('ResultFinished'),
      data: { ...(event.data as object), test_name: null },
    }));
    expect((await log.readStream(stored[0]!.stream)).events).to.deep.equal(expected);
    expect((await log.readAll({ after: '' })).events).to.deep.equal(expected);
    for await (const batch of log.follow({ after: '', signal: new AbortController().signal })) {
      expect(batch).to.deep.equal({ events: expected, position: '9', caughtUp: true });
    }
  });
});

function inVersion(event: LedgerEvent, name: string, version: number): RecordedEvent {
  const form = pastForms[name as keyof PastEventData] as ((data: unknown) => unknown) | undefined;
  return form === undefined || isNew(event) ? event : { ...event, version, data: form(event.data) };
}

/** Whether the event says what no older version can say. */
function isNew({ type, data }: LedgerEvent): boolean {
  if (type === 'RunCreated') return data.run_key != null;
  return type === 'RunCompleted' && data.reason === 'shards';
}

/** The states of all streams by their deciders, and the documents of all read models. */
async function foldAll(events: readonly LedgerEvent[]) {
  const states = new Map<string, unknown>();
  for (const event of events) {
    const stream =
      event.type === 'ResultSubmitted'
        ? streamName('result', event.meta.team_id, event.data.result_id)
        : event.stream;
    const decider = deciderOf(stream);
    if (decider === null) continue;
    states.set(stream, decider.evolve(states.get(stream) ?? decider.initial, event));
  }
  const enrich = openEnrich(logOf([[...events]]));
  return {
    states,
    views: (await fold(events, [7], ledgerViews)).texts,
    outbox: (await fold(await enrich(events), [7], outbox)).texts,
  };
}

/** A log that holds these batches. */
function logOf(batches: readonly RecordedEvent[][]): EventLog {
  const events = batches.flat();
  const asBatch = (some: RecordedEvent[]): Batch => ({ events: some, position: '9', caughtUp: true });
  return {
    readStream: async (stream, { from = 0 } = {}) => ({
      events: events.filter((event) => event.stream === stream && event.revision >= from),
      isEnd: true,
    }),
    readAll: async () => asBatch(events),
    async *follow() {
      for (const batch of batches) yield asBatch(batch);
    },
  } as Partial<EventLog> as EventLog;
}

/** A history with at least one event of every type. */
function wholeHistory(): LedgerEvent[] {
  const ledger = openMemoryLedger();
  const team = ledger.team();
  ledger.revokeKey(team, ledger.createKey(team, 'member', 'owner'));
  const owner = ledger.addMember(team, 'owner', null);
  const member = ledger.addMember(team, 'member', owner);
  ledger.changeMember(team, member, 'admin', owner);
  ledger.removeMember(team, member, owner);
  const project = ledger.project(team);
  ledger.changeProject(project, { name: 'Shop', status: 'Inactive' });
  const run = ledger.run(project, 'nightly', { branch: 'main' });
  ledger.updateRun(run, { status: 'Running', label: 'weekly' });
  const failed = ledger.result(run, 'Pending');
  ledger.startResult(failed);
  ledger.finishResult(failed, { status: 'Failed', error_message: 'no' });
  ledger.retry(failed, 'Passed');
  const updated = ledger.result(run, 'Running', { metadata: { commit: 'c0ffee' } });
  ledger.updateResult(updated, { status: 'Passed', execution_time_ms: 7 });
  ledger.finishResult(updated);
  const artifact = ledger.artifact(failed);
  ledger.confirmArtifact(artifact);
  ledger.deleteArtifact(artifact);
  ledger.claimRetry(updated);
  ledger.claimRetry(updated);
  ledger.deleteResult(failed);
  const submitted = ledger.submit(project, [{ test_name: 'adds up' }, { test_name: 'subtracts' }]);
  ledger.updateResult(submitted.results[0]!, { status: 'Failed' });
  const shard = { index: 1, total: 1, attempt: 1 };
  ledger.call(project, 'a key', [{ test_name: 'adds up' }], { shard });
  ledger.updateRun(run, { status: 'Completed' });
  ledger.updateRun(run, { status: 'Pending' });
  const webhook = ledger.webhook(team);
  ledger.commandWebhook(webhook, { type: 'ChangeWebhook', enabled: false });
  ledger.commandWebhook(webhook, { type: 'ChangeWebhook', enabled: true, url: 'https://example.org/other' });
  ledger.commandWebhook(webhook, { type: 'PingWebhook' });
  ledger.rotateSecret(webhook);
  ledger.commandWebhook(webhook, { type: 'DeleteWebhook' });
  ledger.setKnownFailure(project, 'adds up');
  ledger.endKnownFailure(project, 'adds up');
  return [...ledger.events, ...ofTest(ledger.events.at(-1)!)];
}

/** No decider decides on tests: the outbox appends these. */
function ofTest(last: LedgerEvent): LedgerEvent[] {
  const test_id = idOf('test');
  const subject = {
    test_id,
    project_id: idOf('project'),
    test_name: 'adds up',
    run_id: null,
    result_id: idOf('result'),
  };
  const common = { ...last, stream: streamName('test', last.meta.team_id, test_id) };
  const next = (n: number) => ({
    revision: n,
    position: String(Number(last.position) + n + 1).padStart(20, '0'),
  });
  const evidence = [idOf('result'), idOf('result', 2)];
  return [
    {
      ...common,
      ...next(0),
      type: 'TestRecovered',
      data: { ...subject, branch: null, failure: idOf('result', 2) },
    },
    { ...common, ...next(1), type: 'TestBecameFlaky', data: { ...subject, rule: 'same_commit', evidence } },
    { ...common, ...next(2), type: 'TestStabilised', data: { ...subject, run_id: idOf('run') } },
    { ...common, ...next(3), type: 'TestBecameBroken', data: subject },
  ];
}
