import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { allEvents } from '../../events.js';
import { givenKey, givenTeam, givenWebhook } from '../../given.js';
import { idOf, instant } from '../../records.js';
import { expectError } from '../../refusals.js';
import { filesIn } from '../../../kit/files-in.js';
import { ownServer } from '../../../kit/server.js';

const url = 'https://example.org/hook';

describe('surface B: the API for webhooks', () => {
  const server = ownServer();
  const team = givenTeam(server, 'each test');
  const create = (fields: object) => team.owner.post('/v1/webhooks', { url, events: ['*'], ...fields });
  const get = async (id: string) => (await team.owner.get(`/v1/webhooks/${id}`)).body.data;
  const patch = (id: string, body: object) => team.owner.patch(`/v1/webhooks/${id}`, body);
  const eventsOf = async (id: string) =>
    (await allEvents(team.owner)).filter(({ subject }) => subject === id) as {
      type: string;
      id: string;
      data: any;
    }[];

  it('registers an enabled webhook, and answers 201 with exactly the fields and the secret', async () => {
    const { status, body } = await create({ events: ['run.completed', 'test.failed'] });
    expect(status).to.equal(201);
    expect(body).to.have.all.keys('data');
    expect(body.data.id).to.match(idOf('webhook'));
    expect(body.data.created_at).to.match(instant);
    expect(body.data.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.data).to.deep.include({
      url,
      events: ['run.completed', 'test.failed'],
      enabled: true,
      disabled_reason: null,
      last_delivery: null,
    });
  });

  it('shows a webhook and lists all, newest last, with exactly the fields and never a secret', async () => {
    const made = [];
    for (const path of ['a', 'b', 'c']) made.push(await givenWebhook(team.owner, { url: `${url}/${path}` }));
    const shown = made.map(({ secret: _, ...rest }) => rest);
    const list = await team.owner.get('/v1/webhooks');
    expect(list.body).to.deep.equal({
      data: shown,
      pagination: { page: 1, per_page: 20, total: 3, total_pages: 1 },
    });
    const one = await team.owner.get(`/v1/webhooks/${made[0].id}`);
    expect(one.body).to.deep.equal({ data: shown[0] });
    for (const { secret } of made) {
      for (const { text } of [list, one]) expect(text).not.to.include(secret.slice(6));
    }
  });

  it('changes the sent fields, and records only differences', async () => {
    const { id, secret: _, ...made } = await givenWebhook(team.owner, { events: ['test.failed'] });
    const changed = await patch(id, { url: `${url}/other`, events: ['test.failed', '*'], enabled: false });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.equal({
      data: {
        ...made,
        id,
        url: `${url}/other`,
        events: ['test.failed', '*'],
        enabled: false,
        disabled_reason: 'requested',
      },
    });
    expect(await get(id)).to.deep.equal(changed.body.data);
    const again = await patch(id, { enabled: false, url: `${url}/other` });
    expect(again.body.data).to.deep.equal(changed.body.data);
    expect((await patch(id, {})).body.data).to.deep.equal(changed.body.data);
    const enabled = await patch(id, { enabled: true });
    expect(enabled.body.data).to.include({ enabled: true, disabled_reason: null });
    expect(await get(id)).to.deep.equal(enabled.body.data);
    expect((await eventsOf(id)).map(({ type }) => type)).to.deep.equal([
      'WebhookCreated',
      'WebhookChanged',
      'WebhookDisabled',
      'WebhookEnabled',
    ]);
  });

  it('deletes a webhook: from then on every request is 404, and a new POST registers another', async () => {
    const { id } = await givenWebhook(team.owner);
    const { status, text } = await team.owner.delete(`/v1/webhooks/${id}`);
    expect([status, text]).to.deep.equal([204, '']);
    const path = `/v1/webhooks/${id}`;
    const delivery = 'delivery_01h455vb4pex5vsknk084sn02q';
    for (const answer of [
      await team.owner.get(path),
      await team.owner.patch(path, { enabled: true }),
      await team.owner.patch(path, {}),
      await team.owner.delete(path),
      await team.owner.post(`${path}/ping`),
      await team.owner.post(`${path}/rotate-secret`),
      await team.owner.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z' }),
      await team.owner.get(`${path}/deliveries`),
      await team.owner.post(`${path}/deliveries/${delivery}/resend`),
    ]) {
      expectError(answer, 404, 'not_found');
    }
    expect((await team.owner.get('/v1/webhooks')).body.pagination.total).to.equal(0);
    expect((await givenWebhook(team.owner)).id).not.to.equal(id);
  });

  it('rotates the secret, and records until when the former one signs', async () => {
    const { secret, ...made } = await givenWebhook(team.owner);
    const { status, body } = await team.owner.post(`/v1/webhooks/${made.id}/rotate-secret`);
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal({ ...made, secret: body.data.secret });
    expect(body.data.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.data.secret).not.to.equal(secret);
    const events = await eventsOf(made.id);
    expect(events[1]?.type).to.equal('WebhookSecretRotated');
    const hours = (Date.parse(events[1]!.data.previous_until) - Date.parse(made.created_at)) / 3_600_000;
    expect(hours).to.be.within(24, 24.1);
    const text = JSON.stringify(await allEvents(team.owner));
    for (const each of [secret, body.data.secret]) expect(text).not.to.include(each.slice(6));
  });

  it('has the path of a URL in no file, no event and no entry of the audit, and shows it to admins', async () => {
    const [one, two] = [`canary-${randomUUID()}`, `canary-${randomUUID()}`];
    const made = await team.owner.post(
      '/v1/webhooks',
      { url: `${url}/${one}`, events: ['*'] },
      { 'Idempotency-Key': randomUUID() },
    );
    const { id } = made.body.data;
    await patch(id, { url: `${url}/${two}` });
    expect((await get(id)).url).to.equal(`${url}/${two}`);
    const events = await eventsOf(id);
    expect(events.map(({ data }) => data)).to.deep.equal([
      { webhook_id: id, origin: 'https://example.org', events: ['*'], project_ids: null },
      { webhook_id: id },
    ]);
    const audit = (await team.owner.get('/v1/audit')).text;
    expect(audit).to.include('the webhook at example.org').and.include('the url');
    for (const path of [one, two]) {
      expect(audit).not.to.include(path);
      expect(await filesIn(server.config.dataDir, path)).to.deep.equal([]);
    }
    // On servers the folder has no log.
    if (server.config.events.startsWith('file:'))
      expect(await filesIn(server.config.dataDir, id), 'the files that are looked at').not.to.deep.equal([]);
  });

  it('shows its events in the replay to admins and owners only', async () => {
    const { id } = await givenWebhook(team.owner);
    for (const [role, sees] of [
      ['viewer', false],
      ['member', false],
      ['admin', true],
      ['owner', true],
    ] as const) {
      const events = await allEvents(server.as(await givenKey(team.owner, role)));
      expect(
        events.some(({ subject }) => subject === id),
        role,
      ).to.equal(sees);
    }
  });

  it('refuses ping, recover and resend for a disabled webhook with 409', async () => {
    const { id } = await givenWebhook(team.owner);
    await patch(id, { enabled: false });
    const path = `/v1/webhooks/${id}`;
    for (const answer of [
      await team.owner.post(`${path}/ping`),
      await team.owner.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z' }),
      await team.owner.post(`${path}/deliveries/delivery_01h455vb4pex5vsknk084sn02q/resend`),
    ]) {
      expectError(answer, 409, 'conflict', 'webhook_disabled');
    }
    expect((await team.owner.post(`${path}/rotate-secret`)).status).to.equal(200);
  });

  it('refuses an invalid webhook, and names each field', async () => {
    const { id } = await givenWebhook(team.owner);
    const refused: [object, string][] = [
      [{ url: undefined }, '/url required'],
      [{ url: 7 }, '/url wrong_type'],
      [{ url: null }, '/url wrong_type'],
      [{ url: 'example.org' }, '/url not_a_url'],
      [{ url: 'ftp://example.org/' }, '/url not_a_url'],
      [{ url: 'https://user:pass@example.org/' }, '/url has_password'],
      [{ url: 'https://example.org/#a' }, '/url has_fragment'],
      [{ url: `https://example.org/${'x'.repeat(2_048)}` }, '/url too_long'],
      [{ url: 'http://localhost/' }, '/url target_refused'],
      [{ url: 'http://[::ffff:10.0.0.1]/' }, '/url target_refused'],
      [{ events: undefined }, '/events required'],
      [{ events: [] }, '/events too_few'],
      [{ events: '*' }, '/events wrong_type'],
      [{ events: ['test.passed'] }, '/events/0 not_allowed'],
      [{ events: ['webhook.ping'] }, '/events/0 not_allowed'],
      [{ events: ['*', 'test.failed', '*'] }, '/events twice'],
      [{ secret: 'whsec_mine' }, '/secret unknown_field'],
    ];
    for (const [fields, fault] of refused) {
      const answers = [await create(fields)];
      // A change can leave fields out.
      if (!fault.endsWith('required')) answers.push(await patch(id, fields));
      for (const answer of answers) {
        expectError(answer, 400, 'invalid_request');
        const named = answer.body.error.details.errors.map((each: any) => `${each.pointer} ${each.code}`);
        expect(named, answer.text).to.deep.equal([fault]);
      }
    }
    for (const enabled of [null, 'false', 0]) {
      expectError(await patch(id, { enabled }), 400, 'invalid_request', 'validation_failed');
    }
    expectError(await create({ enabled: true }), 400, 'invalid_request', 'validation_failed');
    expect((await eventsOf(id)).length).to.equal(1);
  });

  it('refuses a recovery without an instant', async () => {
    const { id } = await givenWebhook(team.owner);
    for (const body of [{}, { since: 'yesterday' }, { since: null }, { since: 7 }]) {
      const answer = await team.owner.post(`/v1/webhooks/${id}/recover`, body);
      expectError(answer, 400, 'invalid_request', 'validation_failed');
      expect(answer.body.error.details.errors[0].pointer).to.equal('/since');
    }
  });
});

describe('surface B: webhooks to a private network', () => {
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8, 10.1.0.0/16' });

  it('can be registered if WEBHOOK_ALLOW opens it', async () => {
    const { owner } = await server.newTeam();
    const create = (host: string) => owner.post('/v1/webhooks', { url: `http://${host}/`, events: ['*'] });
    for (const host of ['127.0.0.1:3000', 'localhost', '10.1.2.3']) {
      expect((await create(host)).status, host).to.equal(201);
    }
    for (const host of ['10.2.0.1', '[::1]', '169.254.169.254']) {
      expectError(await create(host), 400, 'invalid_request', 'target_refused');
    }
  });
});
