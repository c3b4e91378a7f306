import { wholeTeam } from '../../src/domain/teams/access.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { openIdempotency, type IdempotentRequest } from '../../src/commands/idempotency.js';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import { createKey, createTeam, teamStream } from '../../src/commands/teams.js';
import { openWebhooks } from '../../src/webhooks/endpoint/webhooks.js';
import { openSecrets } from '../../src/webhooks/endpoint/secrets.js';
import { hashOfKey } from '../../src/domain/teams/api-key.js';
import { run } from '../../src/domain/runs/run.js';
import { isAppError, AppError } from '../../src/errors.js';
import { LEASE_MS } from '../../src/leases/lease.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { keyMaker } from '../domain/key-maker.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('a request that another try takes over', () => {
  const stores = embeddedStores('each suite');
  const nothing = () => undefined;
  const begunTries: IdempotentRequest[] = [];
  // Each try renews its lease until it ends.
  afterEach(async () => {
    for (const each of begunTries.splice(0)) await each.unknown();
  });
  const deliveries = {} as Deliveries;

  type Attempt = { commands: CommandHandler; context: CommandContext };

  /** A log whose calls wait for the turn of their writer, before the call and after it. */
  function inTurns(turn: () => Promise<void>): EventLog {
    const gated =
      <A extends unknown[], T>(call: (...values: A) => Promise<T>) =>
      async (...values: A): Promise<T> => {
        await turn();
        const answer = await call(...values);
        await turn();
        return answer;
      };
    return { ...stores.log, readStream: gated(stores.log.readStream), append: gated(stores.log.append) };
  }

  /**
   * Runs a request in two tries on two nodes, in this order of turns. The second try begins at any time, as if the lease
   * of the first one had lapsed. Another writer may write in between. Returns the outcome of both.
   */
  async function twoTries<T>(
    order: readonly Name[],
    team: string,
    request: (attempt: Attempt) => Promise<T>,
    intrude: () => Promise<unknown>,
  ): Promise<PromiseSettledResult<T>[]> {
    const key = { scope: newIds.event('', 0), bodyHash: 'a body', project_ids: null };
    const start = async (node: string, turn: () => Promise<void>): Promise<Attempt> => {
      const begin = openIdempotency(stores.state, { boot: node, alone: false }, stores.clock, nothing);
      const begun = (await begin(key)) as IdempotentRequest;
      const { ids, resumed, takenOver } = begun;
      begunTries.push(begun);
      return {
        commands: openCommandHandler(inTurns(turn)),
        context: contextOf(team, { ids, resumed, takenOver }),
      };
    };
    const first = writer(async (turn) => request(await start('first', turn)));
    // The request reaches the first node before all others.
    await first.step();
    const second = writer(async (turn) => {
      stores.clock.forward(LEASE_MS + 1);
      return request(await start('second', turn));
    });
    const writers = { first, second, other: writer(intrude) };
    for (const name of order) await writers[name].step();
    for (const each of Object.values(writers)) while (!each.isDone()) await each.step();
    return Promise.allSettled([first.outcome, second.outcome]);
  }

  async function mustHaveEachIdOnce(stream: string): Promise<void> {
    const ids = (await eventsOf(stores.log, stream)).map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  }

  const check = (property: (order: Name[]) => Promise<void>) =>
    fc.assert(fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 16 }), property), {
      numRuns: 60,
      // A held between its read and its append, while another writer and then the second try come.
      examples: [[['first', 'first', 'other', ...Array<Name>(8).fill('second')]]],
    });

  it('writes each of its events once, and both tries answer alike', async function () {
    this.timeout(60_000);
    const complete = { type: 'UpdateRun', status: 'Completed', at: NOW, label: 'weekly' } as const;
    await check(async (order) => {
      const { team, runStream } = await givenRun(stores.log);
      const shard = { type: 'UpdateRun', status: 'Running', at: NOW } as const;
      const outcomes = await twoTries(
        order,
        team,
        async ({ commands, context }) => (await commands.execute(run, runStream, context, complete)).state,
        () => openCommandHandler(stores.log).execute(run, runStream, contextOf(team), shard),
      );
      await mustHaveEachIdOnce(runStream);
      const types = (await eventsOf(stores.log, runStream)).map(({ type }) => type);
      expect(types.filter((type) => type === 'RunCompleted')).to.have.length(1);
      const [one, other] = outcomes.map(valueOf);
      expect(one).to.deep.equal(other);
    });
  });

  it('shows a new key only from the try whose key is in the log', async function () {
    this.timeout(60_000);
    await check(async (order) => {
      const plain = openCommandHandler(stores.log);
      const { team } = await createTeam(plain, contextOf('team_any'), 'Shop');
      const wanted = { name: 'CI', role: 'member', maker: keyMaker('owner') } as const;
      const outcomes = await twoTries(
        order,
        team.id,
        async ({ commands, context }) => (await createKey(commands, context, wanted)).key.key,
        () => createKey(plain, contextOf(team.id), wanted),
      );
      const events = await eventsOf(stores.log, teamStream(team.id));
      await mustHaveEachIdOnce(teamStream(team.id));
      // The first key, that of the other writer, and that of the request.
      expect(events.filter(({ type }) => type === 'KeyCreated')).to.have.length(3);
      const stored = new Set(events.map(({ data }) => (data as { hash?: string }).hash));
      const shown = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(shown.length).to.equal(1);
      for (const { value } of shown) expect(stored.has(hashOfKey(value))).to.equal(true);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          expect(isAppError(outcome.reason, 'already_answered')).to.equal(true);
        }
      }
    });
  });

  it('pings a webhook once, under one event id', async function () {
    this.timeout(60_000);
    const secrets = openSecrets(stores.state, { current: 'x'.repeat(32), previous: null });
    const webhooksOf = (commands: CommandHandler) =>
      openWebhooks({ commands, state: stores.state, deliveries, secrets, origin: null });
    await check(async (order) => {
      const team = newIds.created('team');
      const plain = webhooksOf(openCommandHandler(stores.log));
      const wanted = { url: 'https://example.com/hook', events: ['*'], project_ids: null } as const;
      const { record } = await plain.create(contextOf(team), wanted);
      const outcomes = await twoTries(
        order,
        team,
        ({ commands, context }) =>
          webhooksOf(commands).ping(context, { id: record.webhook_id, reader: wholeTeam(team) }),
        () => plain.ping(contextOf(team), { id: record.webhook_id, reader: wholeTeam(team) }),
      );
      const stream = `webhook-${team}.${record.webhook_id}`;
      await mustHaveEachIdOnce(stream);
      const types = (await eventsOf(stores.log, stream)).map(({ type }) => type);
      expect(types.filter((type) => type === 'WebhookPinged')).to.have.length(2);
      const [one, other] = outcomes.map(valueOf);
      expect(one).to.equal(other);
    });
  });
});

const names = ['first', 'second', 'other'] as const;
type Name = (typeof names)[number];

/** Work that goes on from one turn to the next, one step at a time. */
function writer<T>(work: (turn: () => Promise<void>) => Promise<T>) {
  let goOn = () => undefined as void;
  let stopped = () => undefined as void;
  let done = false;
  const turn = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
      stopped();
    });
  const outcome = (async () => {
    await turn();
    try {
      return await work(turn);
    } finally {
      done = true;
      stopped();
    }
  })();
  outcome.catch(() => undefined);
  return {
    outcome,
    isDone: () => done,
    async step() {
      if (done) return;
      const next = new Promise<void>((resolve) => (stopped = resolve));
      goOn();
      await next;
    },
  };
}

function valueOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'fulfilled') return outcome.value;
  throw outcome.reason instanceof AppError ? outcome.reason : new Error(String(outcome.reason));
}
