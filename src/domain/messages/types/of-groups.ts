/** The types of messages about groups of failures. */
import type { ResultRecord } from '../../results/result.js';
import { transitionId } from '../../test-history/test.js';
import type { AboutGroup, AboutGroupBack, AboutGroupGone, AboutGroupNew } from '../about.js';
import { MOST_EXAMPLES } from '../failed-groups.js';
import { groupDrafts } from '../group-drafts.js';
import { shownExample, shownGroup } from '../group-payload.js';
import {
  bare,
  messageType,
  type MessageView,
  type Occurrence,
  type PayloadRecords,
} from '../message-spec.js';
import { chosen } from '../webhook-filter.js';

export const messagesOfGroups = {
  'group.failed': messageType<AboutGroup>({
    order: 5,
    when: 'a run is completed with failures of one cause',
    // Webhooks ask for it by `test.failed` and `per`.
    subscribable: false,
    causes: ['RunCompleted'],
    transition: null,
    isFiltered: true,
    trigger({ event, counts, place, failures }) {
      if (event.type !== 'RunCompleted' || counts === null) return null;
      const { run_id, project_id } = event.data;
      return groupDrafts(event.id, { run_id, project_id, counts: bare(counts), place, failures });
    },
    render: failedPayload,
  }),

  'group.new': messageType<AboutGroupNew>({
    order: 10,
    when: 'a cause of failures is seen for the first time',
    subscribable: true,
    causes: [
      'ResultCreated',
      'ResultSubmitted',
      'ResultStarted',
      'ResultFinished',
      'ResultUpdated',
      // One that a retry superseded counts again.
      'ResultDeleted',
    ],
    transition: { type: 'GroupAppeared', of: 'group' },
    trigger: ({ event, firstsOfGroups, counts }) =>
      firstsOfGroups.map(({ branch, environment, ...failure }) => {
        const { id } = failure.group;
        const place = { branch, environment };
        const about = { kind: 'group_new', ...failure, place, counts: counts && bare(counts) } as const;
        return { uuid: transitionId(id, event.id, 'GroupAppeared'), subject: id, about };
      }),
    async render({ group, known, owner, result_id, run_id, project_id, counts }, records) {
      const [title, result, run, project] = await Promise.all([
        records.title(group.title),
        records.result(result_id),
        run_id === null || counts === null ? null : records.run(run_id, counts),
        records.project(project_id),
      ]);
      return { group: group.id, kind: group.kind, title, known, owner, result, run, project };
    },
  }),

  'group.gone': messageType<AboutGroupGone>({
    order: 11,
    when: 'a cause of failures is gone from the default branch',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: { type: 'GroupWentAway', of: 'group' },
    trigger: (occurrence) =>
      followedOf(occurrence, 'GroupWentAway').map(({ data, about }) => ({
        uuid: transitionId(data.group, occurrence.event.id, 'GroupWentAway'),
        subject: data.group,
        about: { kind: 'group_gone', ...runOf(occurrence), ...about, tests: data.tests },
      })),
    async render({ group, tests, owner, run_id, project_id, counts }, records) {
      const [title, run, project] = await Promise.all([
        records.title(group.title),
        records.run(run_id, counts),
        records.project(project_id),
      ]);
      return { group: group.id, kind: group.kind, title, tests, owner, run, project };
    },
  }),

  'group.back': messageType<AboutGroupBack>({
    order: 12,
    when: 'a cause of failures is back on the default branch',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: { type: 'GroupReturned', of: 'group' },
    isFiltered: true,
    trigger: (occurrence) =>
      followedOf(occurrence, 'GroupReturned').flatMap(({ data: { group, gone_at } }) => {
        const failed = occurrence.failures.find((one) => one.group.id === group);
        if (failed === undefined) return [];
        const { told: _, ...present } = failed;
        const uuid = transitionId(group, occurrence.event.id, 'GroupReturned');
        const about = { kind: 'group', ...runOf(occurrence), failed: present, gone_at } as const;
        return { uuid, subject: group, about };
      }),
    render: async (about, records, view) => ({
      ...(await failedPayload(about, records, view)),
      gone_at: about.gone_at,
    }),
  }),
};

function followedOf<T extends Occurrence['followed'][number]['type']>(
  { followed }: Occurrence,
  type: T,
): Extract<Occurrence['followed'][number], { type: T }>[] {
  return followed.filter((one): one is Extract<typeof one, { type: T }> => one.type === type);
}

/** Of an event that completes a run. */
function runOf({ event, counts, place }: Occurrence) {
  const { run_id, project_id } = event.data as { run_id: string; project_id: string };
  return { run_id, project_id, counts: bare(counts!), place };
}

async function failedPayload(
  { run_id, project_id, counts, failed }: AboutGroup,
  records: PayloadRecords,
  { filter }: MessageView,
) {
  // A filter that was changed since may leave nothing of it: then the message is as it was.
  const [left = failed] = chosen(filter, [failed]);
  const ids = left.parts.flatMap(({ examples }) => examples).slice(0, MOST_EXAMPLES);
  const [group, run, project, ...examples] = await Promise.all([
    shownGroup(left, records),
    records.run(run_id, counts),
    records.project(project_id),
    ...ids.map((id) => records.result(id)),
  ]);
  const present = examples.filter((each) => each !== null) as ResultRecord[];
  return { ...group, examples: present.map(shownExample), run, project };
}
