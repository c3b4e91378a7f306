import { expect } from 'chai';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { addMilliseconds } from '../../../src/clock.js';
import { openSecrets, OVERLAP_MS } from '../../../src/webhooks/endpoint/secrets.js';
import type { State } from '../../../src/ports/state.js';
import { refusal } from '../../contract/event-log/events.js';
import { idOf } from '../../domain/ids.js';
import { embeddedStores, NOW } from '../../stores.js';

const KEY = 'the secret of a server: 32 characters or more';
const [one, two] = [idOf('webhook', 1), idOf('webhook', 2)];
const after = (ms: number) => addMilliseconds(NOW, ms);

describe('the secrets of a webhook', () => {
  const stores = embeddedStores('each test', { log: false });
  const secrets = (key = KEY) => openSecrets(stores.state, { current: key, previous: null });
  const rotate = (id: string, now = NOW) =>
    secrets().rotate(id, { now, previousUntil: addMilliseconds(now, OVERLAP_MS) });

  it('have 32 random bytes, in the form of Standard Webhooks', async () => {
    const secret = await secrets().create(one, NOW);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.lengthOf(32);
    expect(await secrets().create(two, NOW)).not.to.equal(secret);
    const headers = {
      'webhook-id': 'event_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('event_1', new Date(), '{"a":1}'),
    };
    expect(new Webhook(secret).verify('{"a":1}', headers)).to.deep.equal({ a: 1 });
  });

  it('survive a restart, and are read by every process with the same SECRET_KEY', async () => {
    const secret = await secrets().create(one, NOW);
    await stores.restart();
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([secret]);
  });

  it('are created once: a repeat gets the same secret', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => secrets().create(one, NOW)));
    expect(new Set(all).size).to.equal(1);
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([all[0]]);
  });

  it('still sign for a day after a rotation, the newest first', async () => {
    const first = await secrets().create(one, NOW);
    const second = await rotate(one);
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([second, first]);
    const hour = 3_600_000;
    const third = await rotate(one, after(hour));
    expect(await secrets().secretsOf(one, after(hour))).to.deep.equal([third, second, first]);
    expect(await secrets().secretsOf(one, after(OVERLAP_MS - 1))).to.deep.equal([third, second, first]);
    expect(await secrets().secretsOf(one, after(OVERLAP_MS))).to.deep.equal([third, second]);
    expect(await secrets().secretsOf(one, after(OVERLAP_MS + hour))).to.deep.equal([third]);
  });

  it('are looked up once by attempts that begin together, and anew by each later one: a rotation counts at once', async () => {
    let looks = 0;
    const get: State['get'] = (...asked) => {
      looks += 1;
      return stores.state.get(...asked);
    };
    const counted = openSecrets({ ...stores.state, get }, { current: KEY, previous: null });
    const first = await counted.create(one, NOW);
    const together = () => Promise.all(Array.from({ length: 8 }, () => counted.secretsOf(one, NOW)));
    // The first look ends the expiry of a new secret.
    await together();
    looks = 0;
    expect(await together()).to.deep.equal(Array.from({ length: 8 }, () => [first]));
    expect(looks).to.equal(1);
    const second = await rotate(one);
    expect(await together()).to.deep.equal(Array.from({ length: 8 }, () => [second, first]));
    expect(looks).to.equal(2);
  });

  it('are forgotten at the next rotation once they no longer sign', async () => {
    await secrets().create(one, NOW);
    const sizes: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      await rotate(one, after(n * 2 * OVERLAP_MS));
      sizes.push(JSON.stringify((await stores.state.get('webhook-secret', one))?.value).length);
    }
    expect(new Set(sizes).size, String(sizes)).to.equal(1);
  });

  it('all survive rotations at the same instant: each was the newest once', async () => {
    const first = await secrets().create(one, NOW);
    const rotated = await Promise.all([rotate(one), rotate(one)]);
    expect(await secrets().secretsOf(one, NOW)).to.have.members([first, ...rotated]);
  });

  it('are at most three, after any number of rotations: the newest and two before it', async () => {
    await secrets().create(one, NOW);
    const rotated: string[] = [];
    for (let n = 0; n < 6; n += 1) rotated.unshift(await rotate(one));
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal(rotated.slice(0, 3));
  });

  it('expire after a week unless their webhook was created', async () => {
    await secrets().create(one, NOW);
    const kept = await secrets().create(two, NOW);
    expect(await secrets().secretsOf(two, NOW)).to.deep.equal([kept]);
    await stores.state.purge(after(8 * 24 * 3_600_000), 9);
    expect((await stores.state.list('webhook-secret', { limit: 9 })).map(({ key }) => key)).to.deep.equal([
      two,
    ]);
  });

  it('are created again by a rotation if they are lost', async () => {
    const secret = await rotate(one);
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([secret]);
  });

  it('do not exist for a deleted webhook', async () => {
    await secrets().create(one, NOW);
    await secrets().create(two, NOW);
    await secrets().forget(one);
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([]);
    expect(await secrets().secretsOf(two, NOW)).to.have.lengthOf(1);
  });

  it('cannot be read with another SECRET_KEY, with the reason, and are not replaced', async () => {
    const secret = await secrets().create(one, NOW);
    const other = secrets('another secret, also of 32 characters or more');
    for (const asked of [other.secretsOf(one, NOW), other.create(one, NOW)]) {
      const { message: fault } = await refusal(asked, 'internal');
      expect(fault).to.match(/SECRET_KEY is not the one/);
      expect(fault).not.to.include(KEY);
    }
    expect(await secrets().secretsOf(one, NOW)).to.deep.equal([secret]);
  });

  it('are replaced by a rotation under another SECRET_KEY', async () => {
    await secrets().create(one, NOW);
    const other = secrets('another secret, also of 32 characters or more');
    const made = await other.rotate(one, { now: NOW, previousUntil: after(OVERLAP_MS) });
    expect(await other.secretsOf(one, NOW)).to.deep.equal([made]);
  });

  it('open for their own webhook only, and not after a change', async () => {
    await secrets().create(one, NOW);
    const { value } = (await stores.state.get<{ sealed: string }>('webhook-secret', one))!;
    await stores.state.put('webhook-secret', two, value, { expected: 'any' });
    await refusal(secrets().secretsOf(two, NOW), 'internal');
    // The id of the key stands before the bytes.
    const [id, bytes] = [value.sealed.slice(0, 9), Buffer.from(value.sealed.slice(9), 'base64url')];
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      await stores.state.put(
        'webhook-secret',
        one,
        { sealed: id + changed.toString('base64url') },
        { expected: 'any' },
      );
      await refusal(secrets().secretsOf(one, NOW), 'internal');
    }
    await stores.state.put('webhook-secret', one, { sealed: '' }, { expected: 'any' });
    await refusal(secrets().secretsOf(one, NOW), 'internal');
  });

  it('are sealed differently each time', async () => {
    const sealed = async () =>
      (await stores.state.get<{ sealed: string }>('webhook-secret', one))!.value.sealed;
    await secrets().create(one, NOW);
    const first = await sealed();
    await rotate(one);
    expect((await sealed()).slice(0, 16)).not.to.equal(first.slice(0, 16));
  });
});

describe('the URL of a webhook', () => {
  const stores = embeddedStores('each test', { log: false });
  const secrets = (key = KEY) => openSecrets(stores.state, { current: key, previous: null });
  const other = () => secrets('another secret, also of 32 characters or more');
  const url = 'https://hooks.example.org:8443/services/T000/B000/XXXX?token=1';
  const sealed = async (id = one, by = secrets()) => ({
    webhook_id: id,
    ...(await by.sealUrl(id, url, NOW)),
  });

  it('is sealed differently each time, beside its scheme and host', async () => {
    await secrets().create(one, NOW);
    const [first, second] = [await sealed(), await sealed()];
    expect(first.origin).to.equal('https://hooks.example.org:8443');
    expect(first.sealed).not.to.equal(second.sealed);
    for (const each of [first, second]) expect(JSON.stringify(each)).not.to.include('services');
  });

  it('is read by every process, after rotations of the secret, too', async () => {
    await secrets().create(one, NOW);
    const known = secrets();
    const before = await sealed();
    expect(await known.urlOf(before)).to.equal(url);
    for (const n of [1, 2, 3])
      await secrets().rotate(one, { now: after(n), previousUntil: after(n + OVERLAP_MS) });
    await stores.restart();
    for (const process of [known, secrets()]) expect(await process.urlOf(before)).to.equal(url);
  });

  it('is looked up once with the secrets that sign', async () => {
    let looks = 0;
    const get: State['get'] = (...asked) => {
      looks += 1;
      return stores.state.get(...asked);
    };
    const counted = openSecrets({ ...stores.state, get }, { current: KEY, previous: null });
    await counted.create(one, NOW);
    const webhook = await sealed();
    await counted.secretsOf(one, NOW);
    looks = 0;
    await Promise.all([counted.secretsOf(one, NOW), counted.urlOf(webhook)]);
    expect(looks).to.equal(1);
  });

  it('is gone with its webhook, also for a process that has read it', async () => {
    await secrets().create(one, NOW);
    const known = secrets();
    const webhook = await sealed();
    await known.urlOf(webhook);
    await secrets().forget(one);
    for (const process of [known, secrets()]) expect(await process.urlOf(webhook)).to.equal(null);
  });

  it('opens for its own webhook only', async () => {
    await secrets().create(one, NOW);
    await secrets().create(two, NOW);
    expect(await secrets().urlOf({ ...(await sealed(one)), webhook_id: two })).to.equal(null);
  });

  it('is lost with SECRET_KEY, and can be set again', async () => {
    await secrets().create(one, NOW);
    const before = await sealed();
    expect(await other().urlOf(before)).to.equal(null);
    await other().rotate(one, { now: NOW, previousUntil: after(OVERLAP_MS) });
    expect(await other().urlOf(before)).to.equal(null);
    expect(await other().urlOf(await sealed(one, other()))).to.equal(url);
    // Without a rotation, it has no secret, and nothing is sent.
    const again = await sealed(one, secrets());
    expect([await secrets().urlOf(again), await secrets().secretsOf(one, NOW)]).to.deep.equal([url, []]);
  });

  it('gets a key again where the state has lost it', async () => {
    const webhook = await sealed();
    expect([await secrets().urlOf(webhook), await secrets().secretsOf(one, NOW)]).to.deep.equal([url, []]);
  });
});

describe('the file of the state', () => {
  let folder = '';
  let state: State;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-secrets-'));
    state = openSqliteState({ folder });
  });
  afterEach(async () => {
    await state.close();
    await rm(folder, { recursive: true });
  });

  it('holds no secret in plain text', async () => {
    const secrets = openSecrets(state, { current: KEY, previous: null });
    const made = [await secrets.create(one, NOW)];
    for (let n = 0; n < 2; n += 1) {
      made.push(await secrets.rotate(one, { now: NOW, previousUntil: addMilliseconds(NOW, OVERLAP_MS) }));
    }
    const written = async () =>
      Buffer.concat(await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file)))));
    const [open, closed] = [await written(), await state.close().then(written)];
    for (const bytes of [open, closed]) {
      expect(bytes.includes(one), 'the file that is looked at').to.equal(true);
      for (const secret of made) {
        const plain = secret.slice('whsec_'.length);
        expect(bytes.includes(plain), 'as it is shown').to.equal(false);
        expect(bytes.includes(Buffer.from(plain, 'base64')), 'its bytes').to.equal(false);
      }
    }
  });
});
