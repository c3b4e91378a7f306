import { expect } from 'chai';
import { renderToString } from 'preact-render-to-string';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { operations } from '../../src/dashboard/pages/operations.js';
import type { PageRequest } from '../../src/dashboard/page.js';
import type { Operations } from '../../src/dashboard/server-facts.js';
import { eventually } from '../stores.js';
import { OTHER_TEAM } from '../kit/fake-people.js';
import { pageServer } from '../kit/page-server.js';

const path = `/teams/${OPERATOR_TEAM}/operations`;

describe('the page of operations', () => {
  const server = pageServer();

  it('shows a server at work: read models, queues, files, and who leads', async () => {
    await eventually('the read models to be up to date', async () =>
      (await server.get(path, { as: 'owner' })).text.includes('<h1>Everything is up to date</h1>'),
    );
    await eventually('all leaders to be there', async () => {
      const { text } = await server.get(path, { as: 'owner' });
      return ['Folds history', 'Folds records', 'Makes deliveries', 'Deletes artifacts'].every((each) =>
        text.includes(each),
      );
    });
    const { text } = await server.get(path, { as: 'owner' });
    expect(text)
      .to.include('Event log')
      .and.include('Pending deliveries')
      .and.include('Newest event of the log');
    expect(text)
      .to.match(/Version \d+\.\d+/)
      .and.not.include('no answer');
  });

  it('is kept up to date while it is open, and counts the events of the log', async () => {
    const followed = await server.follow(path, { as: 'owner' });
    await eventually('the live part', () => followed.text.includes('"operations":'));
    const { log } = await server.facts.operations();
    expect(log.events).to.equal(Number(log.head)).and.be.above(0);
    expect(followed.text).to.match(/<dt>Events<\/dt><dd>[1-9][\d,]*<\/dd>/);
  });

  it('says that a store does not count its events', async () => {
    const text = await shown((facts) => ({ ...facts, log: { ...facts.log, events: null } }));
    expect(text).to.include('<dt>Events</dt><dd>not counted by this store</dd>');
  });

  it('is not there for the owner of another team, who sees no link to it', async () => {
    expect((await server.get(`/teams/${OTHER_TEAM}/operations`, { as: 'owner' })).status).to.equal(404);
    const { text } = await server.get(`/teams/${OTHER_TEAM}/team`, { as: 'owner' });
    expect(text).to.not.include('/operations');
  });

  const shown = async (change: (facts: Operations) => Operations) => {
    const facts = change(await server.facts.operations());
    const request = { team: { team_id: OPERATOR_TEAM }, server: { operations: async () => facts } };
    const reply = await operations[0]!.handle(request as unknown as PageRequest);
    return renderToString((reply as { body: Parameters<typeof renderToString>[0] }).body);
  };

  it('begins with what is wrong', async () => {
    const heads = [
      [(facts) => ({ ...facts, log: { ...facts.log, head: null } }), 'The event log does not answer'],
      [
        (facts) => ({
          ...facts,
          projections: facts.projections.map((each) => ({ ...each, progress: null })),
        }),
        'The read models do not answer',
      ],
      [
        (facts) => ({
          ...facts,
          projections: facts.projections.map((each) => ({
            ...each,
            progress: { position: '0', lag_seconds: 3_600, checkpoints: 1 },
          })),
        }),
        'The read models are behind',
      ],
      [
        (facts) => ({ ...facts, queues: { outbox_seconds: 99, deliveries_pending: null } }),
        'Webhooks are behind',
      ],
      [(facts) => ({ ...facts, leases: null }), 'The state does not answer'],
    ] as const satisfies readonly (readonly [(facts: Operations) => Operations, string])[];
    for (const [change, head] of heads) expect(await shown(change)).to.include(`<h1>${head}</h1>`);
  });

  it('shows a rebuild with its progress, and an event at which a partition is stuck', async () => {
    const text = await shown((facts) => ({
      ...facts,
      projections: facts.projections.map((each) => ({
        ...each,
        rebuild: {
          status: 'running',
          build: 3,
          events: 24_000,
          requested_at: '2026-11-21T12:00:00.000Z',
          finished_at: null,
          error: null,
        },
        stuck: [
          {
            partitions: 'a',
            since: '2026-11-21T12:00:00.000Z',
            event: 'RunCreated in run-1, position 7',
            error: '<b>bad</b>',
          },
        ],
      })),
    }));
    expect(text).to.include('build 3, 24,000 events').and.include('Some partitions are stuck at an event');
    expect(text).to.include('at RunCreated in run-1, position 7: &lt;b>bad&lt;/b>');
  });
});
