/** The flags that describe a webhook: where its messages go, and which it gets. */
import type { Argv } from 'yargs';
import type { Client, components } from '../../../client/index.js';
import { formats } from '../../../domain/messages/chat/format.js';
import { subscribableTypes } from '../../../domain/messages/message-types.js';
import { pers } from '../../../domain/messages/per.js';
import { projectId } from '../../api.js';

/** Which of its messages it gets, and in which form. */
type ShapeFlags = {
  project: string[] | undefined;
  branches: string[] | undefined;
  environments: string[] | undefined;
  owners: string[] | undefined;
  known: boolean | undefined;
  'only-new': boolean | undefined;
  per: string | undefined;
  format: string | undefined;
};
export type WebhookFlags = ShapeFlags & { target: string; events: string[] };
export type ChangeFlags = ShapeFlags & {
  target: string | undefined;
  events: string[] | undefined;
  unfiltered: boolean;
};

const TARGET = 'The URL that gets the messages';
const list = { type: 'string', array: true, requiresArg: true } as const;
const events = {
  type: 'string',
  array: true,
  choices: [...subscribableTypes, '*'] as string[],
  describe: 'The messages that it gets',
} as const;

export function webhookFlags<T>(parser: Argv<T>): Argv<T & WebhookFlags> {
  return shapeFlags(
    parser
      .positional('target', { type: 'string', demandOption: true, describe: TARGET })
      .option('events', { ...events, default: ['*'] }),
  );
}

export function changeFlags<T>(parser: Argv<T>): Argv<T & ChangeFlags> {
  return shapeFlags(
    parser
      .option('target', { type: 'string', requiresArg: true, describe: TARGET })
      .option('events', { ...events, requiresArg: true })
      .option('unfiltered', {
        type: 'boolean',
        default: false,
        describe: 'Take the filter and the projects away, before the other flags add theirs',
      }),
  );
}

function shapeFlags<T>(parser: Argv<T>): Argv<T & ShapeFlags> {
  return parser
    .option('project', {
      ...list,
      describe: 'The id or the name of a project: it gets messages of these alone. By default of all',
    })
    .option('branches', { ...list, describe: 'Only of these branches, such as main or release/*' })
    .option('environments', { ...list, describe: 'Only of these environments, such as **os=linux**' })
    .option('owners', { ...list, describe: 'Only failures of tests of these owners' })
    .option('known', {
      type: 'boolean',
      describe: 'Also known failures, where another flag leaves messages out',
    })
    .option('only-new', { type: 'boolean', describe: 'Only failures that are new' })
    .option('per', {
      type: 'string',
      choices: pers,
      describe: 'One message for each failing test, for each group of failures of a run, or for each run',
    })
    .option('format', {
      type: 'string',
      choices: formats,
      describe: 'The form of its messages: standard, or that of a chat',
    });
}

/** The webhook as the API takes it. @throws CliError for a project that does not exist */
export async function describedWebhook(
  client: Client,
  { target, events, ...shape }: WebhookFlags,
): Promise<components['schemas']['CreateWebhook']> {
  return { url: target, events: events as Events, ...(await shapeIn(client, shape)) };
}

/** What flags change of a webhook. A flag of the filter changes its own part of the filter alone. @throws as above */
export async function changedWebhook(
  client: Client,
  { filter: present }: Pick<components['schemas']['Webhook'], 'filter'>,
  { target, events, unfiltered, ...shape }: ChangeFlags,
): Promise<components['schemas']['ChangeWebhook']> {
  const { filter, ...others } = await shapeIn(client, shape);
  return {
    ...(target !== undefined && { url: target }),
    ...(events !== undefined && { events: events as Events }),
    ...(unfiltered && { project_ids: null, filter: null }),
    ...others,
    ...(filter && { filter: { ...(!unfiltered && present), ...filter } }),
  };
}

type Events = components['schemas']['WebhookEvent'][];

async function shapeIn(
  client: Client,
  { project, branches, environments, owners, known, 'only-new': only_new, per, format }: ShapeFlags,
): Promise<Omit<components['schemas']['CreateWebhook'], 'url' | 'events'>> {
  const ids = await Promise.all((project ?? []).map((name) => projectId(client, name)));
  const filter = {
    ...(branches && { branches }),
    ...(environments && { environments }),
    ...(owners && { owners }),
    ...(known !== undefined && { known }),
    ...(only_new !== undefined && { only_new }),
  };
  return {
    ...(ids.length > 0 && { project_ids: ids }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(per !== undefined && { per: per as components['schemas']['WebhookPer'] }),
    ...(format !== undefined && { format: format as components['schemas']['WebhookFormat'] }),
  };
}
