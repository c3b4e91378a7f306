/** The state of the server, for the owners of the operator's team. */
import { OPERATOR_TEAM } from '../../commands/teams.js';
import { bytesText } from '../../domain/text/amounts.js';
import { fail } from '../../errors.js';
import type { Page } from '../page.js';
import { AsOf } from '../parts/as-of.js';
import { Live } from '../parts/live.js';
import { number } from '../parts/outcome.js';
import { Ago, duration, utc } from '../parts/time.js';
import { Table } from '../parts/lists/table.js';
import type { LeaseFacts, Operations, ProjectionFacts } from '../server-facts.js';

export const operations: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/operations',
    role: 'owner',
    liveEveryMs: 5_000,
    async handle({ team, server }) {
      // The server belongs to its operator: the owners of other teams learn nothing of it.
      if (team.team_id !== OPERATOR_TEAM) fail('not_found', 'There is no such page.');
      const facts = await server.operations();
      const all = <All facts={facts} />;
      return { title: 'Operations', live: { operations: all }, body: <Live id="operations">{all}</Live> };
    },
  },
];

function All({ facts }: { facts: Operations }) {
  return (
    <>
      <h1>{verdict(facts)}</h1>
      <div class="line">
        <p class="soft">
          Version {facts.process.version} · started <Ago at={facts.process.started_at} />
        </p>
        <AsOf position={null} at={new Date()} />
      </div>
      <Projections projections={facts.projections} head={facts.log.head} />
      <div class="tiles">
        <Queues queues={facts.queues} />
        <Storage facts={facts} />
        <Leases leases={facts.leases} />
        <Process facts={facts.process} />
      </div>
    </>
  );
}

/** Lag up to this is that of a server at work. */
const BEHIND_SECONDS = 10;

/** The answer to the first question: does it work? */
function verdict({ projections, queues, log, leases }: Operations): string {
  const stuck = projections.reduce((all, { stuck }) => all + stuck.length, 0);
  if (log.head === null) return 'The event log does not answer';
  if (projections.some(({ progress }) => progress === null)) return 'The read models do not answer';
  if (stuck > 0) return 'Some partitions are stuck at an event';
  if (projections.some(({ progress }) => progress!.lag_seconds > BEHIND_SECONDS))
    return 'The read models are behind';
  if ((queues.outbox_seconds ?? 0) > BEHIND_SECONDS) return 'Webhooks are behind';
  if (leases === null) return 'The state does not answer';
  return 'Everything is up to date';
}

function Projections({
  projections,
  head,
}: {
  projections: readonly ProjectionFacts[];
  head: string | null;
}) {
  return (
    <>
      <h2>Projections</h2>
      <Table columns={{ Name: '', Lag: '', Position: '', Rebuild: '' }}>
        {projections.map((each) => (
          <tr>
            <td>
              {each.name} <span class="soft small">version {each.version}</span>
            </td>
            <td>
              <Lag facts={each} />
            </td>
            <td class="mono">{each.progress === null ? '–' : position(each.progress.position)}</td>
            <td>
              <Rebuild rebuild={each.rebuild} />
            </td>
          </tr>
        ))}
        <tr>
          <td>Newest event of the log</td>
          <td />
          <td class="mono">{head === null ? 'no answer' : position(head)}</td>
          <td />
        </tr>
      </Table>
      {projections.flatMap(({ name, stuck }) =>
        stuck.map(({ partitions, since, event, error }) => (
          <p class="notice error break">
            {name}: partition {partitions} is stuck since {utc(since)}
            {event === null ? '' : ` at ${event}`}: {error}
          </p>
        )),
      )}
    </>
  );
}

function Lag({ facts: { progress, stuck } }: { facts: ProjectionFacts }) {
  if (progress === null) return <span class="badge failed">✗ no answer</span>;
  if (stuck.length > 0) return <span class="badge failed">✗ stuck</span>;
  const { lag_seconds: lag } = progress;
  if (lag === 0) return <span class="badge passed">✓ up to date</span>;
  const text = Number.isFinite(lag) ? `${duration(lag * 1_000)} behind` : 'nothing is folded yet';
  return <span class={`badge ${lag > BEHIND_SECONDS ? 'broken' : ''}`}>{text}</span>;
}

function Rebuild({ rebuild }: Pick<ProjectionFacts, 'rebuild'>) {
  if (rebuild === null) return <span class="soft">none</span>;
  const { status, build, events, requested_at, finished_at, error } = rebuild;
  return (
    <>
      <span class={`badge ${status === 'failed' ? 'failed' : status === 'done' ? 'passed' : 'flaky'}`}>
        {status}
      </span>{' '}
      <span class="soft small">
        {build !== null && `build ${build}, `}
        {number(events)} events, <Ago at={finished_at ?? requested_at} />
      </span>
      {error !== null && <div class="small break">{error}</div>}
    </>
  );
}

/** Positions have 20 digits, most of them zeros at the front. */
function position(text: string): string {
  return text.replace(/^0+(?=\d)/, '') || 'before the first event';
}

function Queues({
  queues: { outbox_seconds: seconds, deliveries_pending: pending },
}: Pick<Operations, 'queues'>) {
  return (
    <section class="panel">
      <h2>Webhooks</h2>
      <dl>
        <dt>Pending deliveries</dt>
        <dd>{pending === null ? 'no answer' : number(pending)}</dd>
        <dt>Oldest message without deliveries</dt>
        <dd>{seconds === null ? 'no answer' : seconds === 0 ? 'none' : duration(seconds * 1_000)}</dd>
      </dl>
    </section>
  );
}

const files: Readonly<Record<string, string>> = {
  'events.sqlite': 'Event log',
  'records.sqlite': 'Read models',
  'history.sqlite': 'Outbox, tests, comparisons',
  'state.sqlite': 'State',
  'deliveries.sqlite': 'Deliveries',
};

function Storage({ facts: { log, storage, process } }: { facts: Operations }) {
  return (
    <section class="panel">
      <h2>Storage</h2>
      <p class="soft small break">
        The log is in <code>{log.place}</code>.
      </p>
      <dl>
        <dt>Events</dt>
        <dd>{log.events === null ? 'not counted by this store' : number(log.events)}</dd>
        {storage.map(({ name, bytes }) => (
          <>
            <dt>{files[name] ?? name}</dt>
            <dd>{bytesText(bytes)}</dd>
          </>
        ))}
        <dt>Reclaimed from artifacts since the start</dt>
        <dd>{bytesText(process.reclaimed_bytes)}</dd>
      </dl>
    </section>
  );
}

const work: Readonly<Record<string, string>> = {
  'fan-out': 'Makes deliveries',
  janitor: 'Deletes artifacts',
};

function Leases({ leases }: { leases: readonly LeaseFacts[] | null }) {
  return (
    <section class="panel">
      <h2>Which process does what</h2>
      {leases === null ? (
        <p class="soft">The state does not answer.</p>
      ) : (
        <dl>
          {leases.map(({ name, holder, until, epoch }) => (
            <>
              <dt>{work[name] ?? (name.includes('@') ? `Rebuilds ${name}` : `Folds ${name}`)}</dt>
              <dd>
                {holder === null ? (
                  <span class="badge broken">nobody</span>
                ) : (
                  <code title={`${holder}, until ${utc(until)}`}>{holder.slice(0, 8)}</code>
                )}{' '}
                <span class="soft small">epoch {number(epoch)}</span>
              </dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

function Process({ facts }: { facts: Operations['process'] }) {
  return (
    <section class="panel">
      <h2>This process</h2>
      <dl>
        <dt>Roles</dt>
        <dd>{facts.roles.join(', ')}</dd>
        <dt>Memory</dt>
        <dd>{bytesText(facts.memory_bytes)}</dd>
        <dt>Started</dt>
        <dd>{utc(facts.started_at)}</dd>
      </dl>
    </section>
  );
}
