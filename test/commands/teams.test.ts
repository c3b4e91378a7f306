import { expect } from 'chai';
import { idsFrom, newSeed } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createKey, createTeam, firstStart, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { hashOfKey, isApiKey, newApiKey } from '../../src/domain/teams/api-key.js';
import { isId } from '../../src/domain/ids.js';
import { team } from '../../src/domain/teams/team.js';
import { refusal } from '../contract/event-log/events.js';
import { keyMaker } from '../domain/key-maker.js';
import { contextOf, embeddedStores, eventsOf } from '../stores.js';

describe('the first start', () => {
  const stores = embeddedStores('each test');
  const start = (key: string | null = null) =>
    firstStart(stores.log, openCommandHandler(stores.log), stores.clock, key);
  const operator = () => openCommandHandler(stores.log).load(team, teamStream(OPERATOR_TEAM));

  it('on an empty log creates the operator’s team without any key', async () => {
    expect(await start()).to.equal(true);
    const state = await operator();
    expect(state.life === 'present' && state.keys).to.deep.equal([]);
  });

  it('takes the key of the configuration for that of an owner', async () => {
    const key = newApiKey();
    expect(await start(key)).to.equal(true);
    const state = await operator();
    expect(state.life === 'present' && state.keys).to.have.length(1);
    const [made] = state.life === 'present' ? state.keys : [];
    expect(made).to.include({
      role: 'owner',
      hash: hashOfKey(key),
      prefix: key.slice(0, 8),
      created_by: null,
    });
  });

  it('stores no key in the log, only its hash', async () => {
    const key = newApiKey();
    await start(key);
    const text = JSON.stringify(await eventsOf(stores.log, teamStream(OPERATOR_TEAM)));
    expect(text).to.include(hashOfKey(key));
    expect(text).not.to.include(key);
    expect(text).not.to.include(key.slice(9));
  });

  it('happens once: later starts create nothing, whatever key they are given', async () => {
    await start();
    const head = await stores.log.head();
    expect(await start()).to.equal(false);
    expect(await start(newApiKey())).to.equal(false);
    expect(await stores.log.head()).to.equal(head);
  });

  it('of several servers at once creates one team', async () => {
    const starts = await Promise.all(Array.from({ length: 6 }, () => start(newApiKey())));
    expect(starts.filter((isFirst) => isFirst)).to.have.length(1);
    const events = await eventsOf(stores.log, teamStream(OPERATOR_TEAM));
    expect(events.map(({ type }) => type)).to.deep.equal(['TeamCreated', 'KeyCreated']);
    expect((await stores.log.readAll({ after: '' })).events).to.have.length(2);
  });
});

describe('a new team', () => {
  const stores = embeddedStores('each suite');

  it('has an owner’s key, which is returned once', async () => {
    const commands = openCommandHandler(stores.log);
    const ids = idsFrom(newSeed());
    const { team: made } = await createTeam(commands, contextOf('team_1', { ids }), 'Shop');
    expect(isId('team', made.id) && isApiKey(made.key)).to.equal(true);
    const state = await commands.load(team, teamStream(made.id));
    expect(state).to.include({ team_id: made.id, name: 'Shop' });
    expect(state.life === 'present' && state.keys[0]).to.include({
      role: 'owner',
      hash: hashOfKey(made.key),
    });
    const again = contextOf('team_1', { ids, resumed: true });
    await refusal(createTeam(openCommandHandler(stores.log), again, 'Shop'), 'already_answered');
    expect(await eventsOf(stores.log, teamStream(made.id))).to.have.length(2);
  });
});

describe('a new key', () => {
  const stores = embeddedStores('each suite');

  async function given() {
    const commands = openCommandHandler(stores.log);
    const { team: made } = await createTeam(commands, contextOf('team_1'), 'Shop');
    return { commands, team: made.id };
  }

  it('names the key that created it, and is returned once', async () => {
    const { commands, team: id } = await given();
    const ids = idsFrom(newSeed());
    const wanted = { name: 'CI', role: 'member', maker: keyMaker('admin') } as const;
    const context = contextOf(id, { actor: 'key_7', ids });
    const { key, position } = await createKey(commands, context, wanted);
    expect(key).to.include({ name: 'CI', role: 'member' });
    const state = await commands.load(team, teamStream(id));
    const expected = { key_id: key.id, hash: hashOfKey(key.key), created_by: 'key_7', role: 'member' };
    expect(state.life === 'present' && state.keys[1]).to.include(expected);
    expect(await stores.log.head(id)).to.equal(position);
    await refusal(createKey(commands, { ...context, resumed: true }, wanted), 'already_answered');
    expect(await eventsOf(stores.log, teamStream(id))).to.have.length(3);
  });

  it('has no higher role than the key that creates it', async () => {
    const { commands, team: id } = await given();
    const wanted = { name: 'CI', role: 'owner', maker: keyMaker('admin') } as const;
    await refusal(createKey(commands, contextOf(id), wanted), 'forbidden');
    expect(await eventsOf(stores.log, teamStream(id))).to.have.length(2);
  });
});
