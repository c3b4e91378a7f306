/** Surface B: the replay of a team's events, as pages, as lines, or live. */
import type { Admission } from '../../admission/admission.js';
import type { KindName } from '../../admission/kinds.js';
import type { Position } from '../../domain/event.js';
import { atLeast } from '../../domain/teams/team.js';
import { invalid, isAppError, fail } from '../../errors.js';
import { loadEventSchemas, type EventSchemas } from '../../replay/event-schemas.js';
import { toCloudEvent } from '../../replay/cloud-event.js';
import { openReplay, type Replay } from '../../replay/replay.js';
import type { ReplayScope } from '../../replay/scope.js';
import { LIVE_STREAM_POINTS, NDJSON_STREAM_POINTS, replayPagePoints } from '../backpressure/request-cost.js';
import { ok, type Call, type Reply, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { linesOf, renderLive, sseOf } from './event-streams.js';
import { limits } from '../../limits.js';

const PATH = '/events';
const STREAMS = ['application/x-ndjson', 'text/event-stream'] as const;
const FORMS = ['application/json', ...STREAMS] as const;

type EventServices = { replay: Replay; admission: Admission; schemas: EventSchemas };

export function eventRoutes({ log, admission }: Sources): Route[] {
  const schemas = loadEventSchemas();
  const services = { replay: openReplay(log, renderLive), admission, schemas };
  return [
    {
      method: 'GET',
      path: PATH,
      operation: {
        id: 'listEvents',
        summary: 'Replays the events of the team, as pages, as lines, or live',
        answers: { 200: { pageOrStream: 'EventPage', of: 'Event', streams: STREAMS } },
        errors: ['too_many_replays'],
      },
      role: 'viewer',
      query: 'EventsQuery',
      handle: (call) => answer(services, call),
    },
    {
      method: 'GET',
      path: `${PATH}/schemas`,
      operation: {
        id: 'listEventSchemas',
        summary: 'Lists the schemas of all types of events',
        answers: { 200: { list: 'EventSchema' } },
      },
      role: 'viewer',
      reporter: true,
      async handle(call) {
        const data = schemas.index.map(({ name, type, version }) => {
          return { type, version, url: `${schemasUrl(call)}/${name}` };
        });
        return ok({ data });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/schemas/:name`,
      operation: {
        id: 'getEventSchema',
        summary: 'Shows the JSON Schema of a type of event',
        answers: { 200: { media: ['application/schema+json'], json: true } },
      },
      role: 'viewer',
      reporter: true,
      async handle({ params }) {
        const schema = schemas.get(params['name']!);
        if (schema === undefined) fail('not_found', 'This schema does not exist.');
        return { status: 200, body: schema, type: 'application/schema+json' };
      },
    },
  ];
}

async function answer({ replay, admission, schemas }: EventServices, call: Call): Promise<Reply> {
  const view = viewOf(call, schemas);
  const form = call.accepts(FORMS) ?? 'application/json';
  const live = form === 'text/event-stream';
  const after = await startOf(replay, call, live);
  const limit = call.query['limit'] as number | undefined;
  const base = schemasUrl(call);
  const holder = { key: call.key.key_id, team: call.key.team_id };
  if (form !== 'application/json') {
    call.rate.charge(live ? LIVE_STREAM_POINTS : NDJSON_STREAM_POINTS);
    const entering = (kind: KindName) => (signal: AbortSignal) =>
      admission.admit(kind, { ...holder, signal });
    const from = { after, limit, schemas: base };
    const enterLog = entering('replayStreams');
    return live
      ? sseOf(replay, view, { ...from, enter: entering('liveStreams'), enterLog })
      : linesOf(replay, view, { ...from, enter: enterLog });
  }
  return admission.run('replayPages', holder, async () => {
    // Many pages may have been let in before the first of them was charged.
    call.rate.check();
    const page = await replay.page(view, { after, limit: limit ?? limits.defaultReplayEvents });
    call.rate.charge(replayPagePoints(page.work));
    const data = page.events.map((event) => toCloudEvent(event, base));
    const body = { data, next: page.next, caught_up: page.caughtUp };
    return { ...ok(body), charged: true, headers: { Vary: 'Accept' } };
  });
}

function viewOf({ key, query }: Call, schemas: EventSchemas): ReplayScope {
  const { types, project_id } = query;
  const named = types === undefined ? undefined : String(types).split(',');
  for (const type of named ?? []) {
    if (!schemas.hasType(type))
      invalid('?types', 'not_allowed', `${JSON.stringify(type)} is not a type of event`);
  }
  return {
    team: key.team_id,
    admin: atLeast(key.role, 'admin'),
    projects: key.project_ids,
    ...(named && { types: [...new Set(named)] }),
    ...(project_id !== undefined && { project: String(project_id) }),
  };
}

/** A browser that reconnects sends the last id that it saw, with the URL that it began with: the id wins. */
async function startOf(replay: Replay, call: Call, live: boolean): Promise<Position> {
  const last = live ? call.header('last-event-id') : undefined;
  const [text, pointer] = last ? [last, 'Last-Event-ID'] : [String(call.query['after'] ?? ''), '?after'];
  try {
    return await replay.position(call.key.team_id, text);
  } catch (error) {
    if (!isAppError(error, 'not_a_position')) throw error;
    return invalid(pointer, 'not_a_position', 'is not a position of an event');
  }
}

function schemasUrl({ origin }: Call): string {
  return `${origin()}/v1${PATH}/schemas`;
}
