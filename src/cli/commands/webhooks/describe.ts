/** The flags that describe a webhook: where its messages go, and which it gets. */
import type { Argv } from 'yargs';
import type { Client, components } from '../../../client/index.js';
import { formats } from '../../../domain/messages/chat/format.js';
import { subscribableTypes } from '../../../domain/messages/message-types.js';
import { pers } from '../../../domain/messages/per.js';
import { projectId } from '../../api.js';

export type WebhookFlags = {
  target: string;
  events: string[];
  project: string[] | undefined;
  branches: string[] | undefined;
  environments: string[] | undefined;
  owners: string[] | undefined;
  known: boolean | undefined;
  'only-new': boolean | undefined;
  per: string | undefined;
  format: string | undefined;
};

const list = { type: 'string', array: true, requiresArg: true } as const;

export function webhookFlags<T>(parser: Argv<T>): Argv<T & WebhookFlags> {
  return parser
    .positional('target', {
      type: 'string',
      demandOption: true,
      describe: 'The URL that gets the messages',
    })
    .option('events', {
      type: 'string',
      array: true,
      choices: [...subscribableTypes, '*'] as string[],
      default: ['*'],
      describe: 'The messages that it gets',
    })
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
  {
    target,
    events,
    project,
    branches,
    environments,
    owners,
    known,
    'only-new': only_new,
    per,
    format,
  }: WebhookFlags,
): Promise<components['schemas']['CreateWebhook']> {
  const ids = await Promise.all((project ?? []).map((name) => projectId(client, name)));
  const filter = {
    ...(branches && { branches }),
    ...(environments && { environments }),
    ...(owners && { owners }),
    ...(known !== undefined && { known }),
    ...(only_new !== undefined && { only_new }),
  };
  return {
    url: target,
    events: events as components['schemas']['WebhookEvent'][],
    ...(ids.length > 0 && { project_ids: ids }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(per !== undefined && { per: per as components['schemas']['WebhookPer'] }),
    ...(format !== undefined && { format: format as components['schemas']['WebhookFormat'] }),
  };
}
