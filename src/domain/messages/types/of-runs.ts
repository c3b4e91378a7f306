/** The types of messages about runs, and about the default branch and the days of a project. */
import { environmentOf } from '../../environment.js';
import { aloneMessageId, eventIdOf, transitionId } from '../../test-history/test.js';
import type { AboutDay, AboutIncomplete, AboutMain, AboutRun, AboutWebhook } from '../about.js';
import { isQuiet, partsOf, sumOfParts } from '../digest.js';
import { listed, untold } from '../group-payload.js';
import {
  bare,
  messageType,
  type FollowedFact,
  type Occurrence,
  type PayloadRecords,
} from '../message-spec.js';
import type { Draft } from '../draft.js';
import { chosen } from '../webhook-filter.js';

const MOST_OWNERS = 20;

export const messagesOfRuns = {
  'run.completed': messageType<AboutRun>({
    order: 3,
    when: 'a run is completed',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: null,
    trigger({ event, counts, verdict, place, failures }) {
      if (event.type !== 'RunCompleted' || counts === null) return null;
      const { completion, run_id, project_id } = event.data;
      const run = { run_id, project_id, completion, counts: bare(counts), verdict };
      return { uuid: event.id, subject: run_id, about: { kind: 'run', ...run, place, failures } };
    },
    async render({ run_id, project_id, completion, counts, verdict, failures }, records, { per, filter }) {
      const [run, project] = await Promise.all([records.run(run_id, counts), records.project(project_id)]);
      return {
        run,
        completion,
        project,
        gate: verdict?.gate ?? null,
        gate_reasons: verdict?.reasons ?? [],
        comparison: verdict?.comparison ?? null,
        ...(per === 'run' && { failures: await listed(chosen(filter, untold(failures)), records) }),
      };
    },
  }),

  'run.incomplete': messageType<AboutIncomplete>({
    order: 13,
    when: 'a run is completed though shards are missing',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: { type: 'RunFoundIncomplete', of: 'run' },
    trigger({ event, followed, counts, place }) {
      const found = followed.find((one) => one.type === 'RunFoundIncomplete');
      if (found === undefined || counts === null) return null;
      const { run_id, project_id, total, missing } = found.data;
      const run = { run_id, project_id, counts: bare(counts), place };
      const uuid = transitionId(run_id, event.id, found.type);
      return { uuid, subject: run_id, about: { kind: 'incomplete', ...run, total, missing } };
    },
    async render({ run_id, project_id, counts, total, missing }, records) {
      const [run, project] = await Promise.all([records.run(run_id, counts), records.project(project_id)]);
      return { shards: { total, missing }, run, project };
    },
  }),

  'main.red': messageType<AboutMain>({
    order: 14,
    when: 'the default branch begins to fail',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: { type: 'MainTurnedRed', of: 'project' },
    trigger: (occurrence) => ofMain(occurrence, 'MainTurnedRed'),
    render: mainPayload,
  }),

  'main.green': messageType<AboutMain>({
    order: 15,
    when: 'the default branch passes again',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: { type: 'MainTurnedGreen', of: 'project' },
    trigger: (occurrence) => ofMain(occurrence, 'MainTurnedGreen'),
    render: async (about, records) => ({
      ...(await mainPayload(about, records)),
      red_since: { run_id: about.red.run_id, at: about.red.at },
    }),
  }),

  'digest.daily': messageType<AboutDay>({
    order: 16,
    when: 'a day is over: what was new, fixed and flaky, at 08:00 UTC',
    subscribable: true,
    causes: ['DayClosed'],
    transition: null,
    isFiltered: true,
    trigger({ event, day }) {
      if (event.type !== 'DayClosed' || day === null || isQuiet(day)) return null;
      const { project_id } = event.data;
      const uuid = aloneMessageId(project_id, event.id, 'digest.daily');
      const about = { kind: 'day', project_id, numbers: day } as const;
      return { uuid, subject: project_id, isAlone: true, about };
    },
    async render({ project_id, numbers }, records, { filter }) {
      const owners = filter?.owners ?? null;
      const parts = partsOf(numbers.parts, owners);
      return {
        day: numbers.day,
        ...sumOfParts(parts),
        // A run that is lost as a whole is of no owner.
        ...(owners === null && { lost_ms: numbers.lost_ms }),
        runs: numbers.runs,
        by_owner: parts.filter(({ owner }) => owner !== null).slice(0, MOST_OWNERS),
        project: await records.project(project_id),
      };
    },
  }),

  'webhook.ping': messageType<AboutWebhook>({
    order: 4,
    when: 'somebody asks for a ping',
    subscribable: false,
    causes: ['WebhookPinged'],
    transition: null,
    trigger({ event }) {
      if (event.type !== 'WebhookPinged') return null;
      const { webhook_id } = event.data;
      // A subject of its own: a ping asks whether the endpoint answers now, so it must not wait behind other messages.
      return { uuid: event.id, subject: eventIdOf(event.id), about: { kind: 'webhook', webhook_id } };
    },
    render: async ({ webhook_id }) => ({ webhook_id }),
  }),
};

type MainEvent = 'MainTurnedRed' | 'MainTurnedGreen';

function ofMain(
  { event, followed, counts, place, tool }: Occurrence,
  type: MainEvent,
): Draft<AboutMain> | null {
  const found = followed.find((one): one is Extract<FollowedFact, { type: MainEvent }> => one.type === type);
  if (found === undefined || counts === null) return null;
  const { project_id, run_id } = found.data;
  const about = {
    kind: 'main',
    run_id,
    project_id,
    counts: bare(counts),
    place,
    tool,
    ...found.about,
  } as const;
  return { uuid: transitionId(project_id, event.id, type), subject: project_id, about };
}

async function mainPayload({ run_id, project_id, counts, place, tool }: AboutMain, records: PayloadRecords) {
  const [run, project] = await Promise.all([records.run(run_id, counts), records.project(project_id)]);
  const { branch, environment } = place;
  return { branch, tool, environment: environmentOf(environment), run, project };
}
