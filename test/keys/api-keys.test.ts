import { expect } from 'chai';
import { openApiKeys, type ApiKeys, type ApiKeysOptions } from '../../src/keys/api-keys.js';
import { addMilliseconds, instant } from '../../src/clock.js';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { Batch, EventLog } from '../../src/ports/event-log.js';
import { createKey, createTeam, teamStream } from '../../src/commands/teams.js';
import { START } from '../../src/domain/event.js';
import { hashOfKey, newApiKey } from '../../src/domain/teams/api-key.js';
import { team as teamDecider } from '../../src/domain/teams/team.js';
import { isAppError, AppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { keyMaker } from '../domain/key-maker.js';
import { contextOf, embeddedStores, eventually } from '../stores.js';

describe('the index of API keys', () => {
  const stores = embeddedStores('each suite');
  const reported: unknown[] = [];
  const directories: ApiKeys[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await directory.close();
    reported.splice(0);
  });

  async function opened(log: EventLog = stores.log, more: Partial<ApiKeysOptions> = {}): Promise<ApiKeys> {
    const directory = await openApiKeys(log, {
      report: (error) => void reported.push(error),
      state: stores.state,
      clock: stores.clock,
      ...more,
    });
    directories.push(directory);
    return directory;
  }

  /** A team with the key of an owner, created on any node. */
  async function givenTeam(name = 'Shop') {
    const commands = openCommandHandler(stores.log);
    const { team, position } = await createTeam(commands, contextOf('team_any'), name);
    const context = contextOf(team.id, { actor: 'key_1' });
    return {
      position,
      team: team.id,
      key: hashOfKey(team.key),
      async newKey(role: 'viewer' | 'member' = 'member', more: object = {}) {
        const made = await createKey(commands, context, {
          name: `a ${role}`,
          role,
          maker: keyMaker('owner'),
          ...more,
        });
        return { ...made.key, hash: hashOfKey(made.key.key) };
      },
      async revoke(key_id: string) {
        const command = { type: 'RevokeKey', key_id, revoker: keyMaker('owner') } as const;
        const { appended } = await commands.execute(teamDecider, teamStream(team.id), context, command);
        return appended!.position;
      },
    };
  }

  /** A log whose followers can be paused. */
  function deafening(heardOne: () => void = () => undefined) {
    let hear = () => undefined as void;
    let hearing: Promise<void> | null = null;
    let heard = START;
    const log: EventLog = {
      ...stores.log,
      async *follow(options) {
        const ended = new Promise<void>((resolve) =>
          options.signal.addEventListener('abort', () => resolve()),
        );
        // One event at a time, so that the state between two events can be checked.
        for await (const batch of stores.log.follow({ ...options, limit: 1 })) {
          if (hearing !== null) await Promise.race([hearing, ended]);
          yield batch;
          heard = batch.position;
          heardOne();
        }
      },
    };
    const deafen = () => void (hearing = new Promise((resolve) => (hear = resolve)));
    return { log, deafen, hear: () => hear(), heard: () => heard };
  }

  it('finds the record of a key by its hash', async () => {
    const { team, newKey } = await givenTeam('Shop');
    const { id, hash } = await newKey('viewer');
    const team_name = 'Shop';
    const entry = { key_id: id, name: 'a viewer', role: 'viewer', person_id: null, team_id: team, team_name };
    const unlimited = { expires_at: null, project_ids: null, person_role: null };
    expect(await (await opened()).find(hash)).to.deep.equal({ ...entry, ...unlimited });
  });

  it('knows the projects and the end of a key, and tells an expired key from an unknown one', async () => {
    const { newKey } = await givenTeam('Shop');
    const expires_at = addMilliseconds(instant(stores.clock), 60_000);
    const { hash } = await newKey('member', { expires_at, project_ids: ['project_1'] });
    const directory = await opened();
    expect(await directory.find(hash))
      .to.include({ expires_at })
      .and.have.deep.property('project_ids', ['project_1']);
    stores.clock.forward(60_000);
    expect(directory.known(hash), 'of a live stream').to.equal(null);
    await refusal(directory.find(hash), 'key_expired');
    expect(await directory.find(hashOfKey(newApiKey()))).to.equal(null);
  });

  it('has all keys of all teams when it is open', async () => {
    const teams = [await givenTeam('One'), await givenTeam('Other')];
    let looks = 0;
    const readAll: EventLog['readAll'] = async (...call) => {
      looks += 1;
      return stores.log.readAll(...call);
    };
    const directory = await opened({ ...stores.log, readAll });
    looks = 0;
    for (const { key, team } of teams)
      expect(await directory.find(key)).to.include({ team_id: team, role: 'owner' });
    expect(looks, 'looks at the log').to.equal(0);
  });

  it('finds a key as soon as it was answered, before its follower has read the event', async () => {
    const seen = new Set<unknown>();
    let look = () => undefined as void;
    const { log, deafen, hear, heard } = deafening(() => look());
    const directory = await opened(log);
    deafen();
    const { key, newKey, revoke } = await givenTeam();
    const revoked = await newKey();
    await revoke(revoked.id);
    const last = await newKey();
    expect(await directory.find(key)).to.include({ role: 'owner' });
    // The follower reads these events later again: a revoked key must not come back, not even for a moment.
    const head = await stores.log.head();
    look = () => void seen.add(directory.known(revoked.hash));
    hear();
    await eventually('the follower has heard all', () => heard() >= head);
    expect(seen).to.deep.equal(new Set([null]));
    expect(await directory.find(last.hash)).to.include({ key_id: last.id });
  });

  it('reads the log once for many unknown keys, and once more for those that came meanwhile', async () => {
    let reads = 0;
    const readAll: EventLog['readAll'] = async (options) => {
      reads += 1;
      return stores.log.readAll(options);
    };
    const directory = await opened({ ...stores.log, readAll });
    reads = 0;
    const flood = Array.from({ length: 200 }, () => directory.find(hashOfKey(newApiKey())));
    expect(new Set(await Promise.all(flood))).to.deep.equal(new Set([null]));
    expect(reads).to.equal(2);
  });

  describe('after a key is revoked', () => {
    it('has lost it on every node, and has kept the others', async () => {
      const { key, newKey, revoke } = await givenTeam();
      const [one, other] = [await newKey(), await newKey()];
      const nodes = [await opened(), await opened()];
      const position = await revoke(one.id);
      for (const node of nodes) {
        await node.reached(position);
        expect(await node.find(one.hash)).to.equal(null);
        expect(await node.find(other.hash)).not.to.equal(null);
        expect(await node.find(key)).not.to.equal(null);
      }
      expect(await (await opened()).find(one.hash)).to.equal(null);
    });
  });

  describe('on a node that is cut off from the log', () => {
    function cutOff() {
      let isAway = false;
      const away = new AppError('log_unavailable', 'It is away.');
      const log: EventLog = {
        ...stores.log,
        readAll: (...call) => (isAway ? Promise.reject(away) : stores.log.readAll(...call)),
        // It hears nothing, and does not notice.
        async *follow({ signal }) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          yield* [];
        },
      };
      return { log, setAway: (value: boolean) => void (isAway = value) };
    }

    it('accepts no key any more after the time that the limits name, and all again when the log is back', async () => {
      const { newKey } = await givenTeam();
      const { id, hash } = await newKey();
      const { log, setAway } = cutOff();
      const directory = await opened(log, { staleAfter: 100, checkEvery: 10 });
      expect(directory.known(hash)).to.include({ key_id: id });
      setAway(true);
      await eventually('it refuses the key', () => directory.known(hash) === null);
      await refusal(directory.find(hash), 'log_unavailable');
      setAway(false);
      await eventually('it accepts the key', () => directory.known(hash) !== null);
    });

    it('goes on for a short time as if nothing had happened', async () => {
      const { newKey } = await givenTeam();
      const { id, hash } = await newKey();
      const { log, setAway } = cutOff();
      const directory = await opened(log, { checkEvery: 1 });
      setAway(true);
      await new Promise((resolve) => setImmediate(resolve));
      expect(directory.known(hash)).to.include({ key_id: id });
      expect(await directory.find(hash)).to.include({ key_id: id });
    });

    it('notices within the pause of its checks that a key was revoked, whatever its follower hears', async () => {
      const { newKey, revoke } = await givenTeam();
      const { id, hash } = await newKey();
      const directory = await opened(cutOff().log, { checkEvery: 10 });
      await revoke(id);
      await eventually('it refuses the key', () => directory.known(hash) === null);
    });
  });

  describe('while the log is unavailable', () => {
    it('keeps its keys, and reads the rest when the log is back', async () => {
      const { key } = await givenTeam();
      const away = new AppError('log_unavailable', 'It is away.');
      let isAway = false;
      const log: EventLog = {
        ...stores.log,
        readAll: async (...call) => (isAway ? Promise.reject(away) : stores.log.readAll(...call)),
        async *follow(options) {
          for await (const batch of stores.log.follow(options)) {
            if (isAway) throw away;
            yield batch;
          }
        },
      };
      const directory = await opened(log);
      isAway = true;
      const { key: later } = await givenTeam();
      await eventually('it has lost the log', () => reported.length > 0);
      expect(reported[0]).to.equal(away);
      expect(await directory.find(key)).not.to.equal(null);
      await refusal(directory.find(later), 'log_unavailable');
      isAway = false;
      await eventually('it has the log again', async () => (await directory.find(later)) !== null);
    });
  });

  it('refuse the keys of a team with an event of a newer version, and of no other team', async () => {
    const [broken, sound] = [await givenTeam(), await givenTeam()];
    await broken.newKey();
    const position = await stores.log.head(broken.team);
    const newer = (batch: Batch): Batch => ({
      ...batch,
      events: batch.events.map((event) =>
        event.position >= position && event.meta.team_id === broken.team ? { ...event, version: 99 } : event,
      ),
    });
    const log: EventLog = {
      ...stores.log,
      readAll: async (options) => newer(await stores.log.readAll(options)),
      async *follow(options) {
        for await (const batch of stores.log.follow(options)) yield newer(batch);
      },
    };
    const directory = await opened(log);
    expect((await directory.find(sound.key))?.team_id).to.equal(sound.team);
    expect(directory.known(broken.key)).to.equal(null);
    const refused = await directory.find(broken.key).catch((error: unknown) => error);
    expect(isAppError(refused, 'unknown_event')).to.equal(true);
    expect(reported.some((error) => isAppError(error, 'unknown_event'))).to.equal(true);
  });

  it('ignores all events that are not about teams', async () => {
    const { key } = await givenTeam();
    const directory = await opened();
    const id = newIds.created('project');
    const meta = { team_id: 'team_1', actor: 'key_1', at: stores.clock().toISOString() };
    const event = { id: newIds.event('', 0), type: 'ProjectCreated', version: 1 };
    const data = { project_id: id, name: 'Shop', description: null, default_branch: 'main' };
    const { position } = await stores.log.append(`project-team_1.${id}`, 'none', [
      { ...event, data, meta: { ...meta, correlation_id: 'request', causation_id: null } },
    ]);
    await directory.reached(position);
    expect(await directory.find(key)).not.to.equal(null);
    expect(reported).to.deep.equal([]);
  });
});
