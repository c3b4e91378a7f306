/** `testledger webhooks`: the webhooks of the team. */
import { unwrap, type components } from '../../../client/index.js';
import { wholeList, withClient } from '../../api.js';
import { command, group } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import { table } from '../../table.js';
import {
  changedWebhook,
  changeFlags,
  describedWebhook,
  webhookFlags,
  type ChangeFlags,
  type WebhookFlags,
} from './describe.js';
import { deliveriesCommand, ofWebhook, recoverCommand, resendCommand } from './deliveries.js';

type Webhook = components['schemas']['Webhook'];

const list = command<ServerFlags>({
  command: 'list',
  describe: 'List the webhooks, never with their secret',
  flags: serverFlags,
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const webhooks = await wholeList((query) => unwrap(client.GET('/v1/webhooks', { params: { query } })));
      terminal.result({ webhooks }, table(webhooks.map(rowOf)));
      return exitCodes.ok;
    }),
});

const create = command<ServerFlags & WebhookFlags>({
  command: 'create <target>',
  describe: 'Make a webhook, and print its secret once; one of a chat has none to use',
  flags: (parser) => webhookFlags(serverFlags(parser)),
  run: ({ project, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const body = await describedWebhook(client, { ...flags, project });
      const { data } = await unwrap(client.POST('/v1/webhooks', { body }));
      const isSigned = data.format === 'standard';
      terminal.note(
        `made the webhook ${data.id}; ${isSigned ? 'its secret is shown only now:' : 'messages for a chat are not signed'}`,
      );
      terminal.result({ webhook: data }, isSigned ? [data.secret] : []);
      return exitCodes.ok;
    }),
});

const preview = command<ServerFlags & WebhookFlags>({
  command: 'preview <target>',
  describe: 'Say what such a webhook would have sent in the last seven days, and make none',
  flags: (parser) => webhookFlags(serverFlags(parser)),
  run: ({ project, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const body = await describedWebhook(client, { ...flags, project });
      const { data } = await unwrap(client.POST('/v1/webhooks/preview', { body }));
      const { messages, examples, since, complete } = data;
      terminal.note(`messages since ${since}${complete ? '' : ', and more before that'}:`);
      terminal.result({ preview: data }, [String(messages), ...examples.map((each) => JSON.stringify(each))]);
      return exitCodes.ok;
    }),
});

const show = command<ServerFlags & { webhook: string }>({
  command: 'show <webhook>',
  describe: 'Show a webhook and its last attempt',
  flags: (parser) => ofWebhook(serverFlags(parser)),
  run: ({ webhook: id, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const params = { path: { id } };
      const { data } = await unwrap(client.GET('/v1/webhooks/{id}', { params }));
      terminal.result({ webhook: data }, linesOf(data));
      return exitCodes.ok;
    }),
});

const change = command<ServerFlags & ChangeFlags & { webhook: string }>({
  command: 'change <webhook>',
  describe: 'Change what the flags name of a webhook: its URL, its messages, its filter, its format',
  flags: (parser) => changeFlags(ofWebhook(serverFlags(parser))),
  run: ({ webhook: id, project, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const params = { path: { id } };
      const { data: present } = await unwrap(client.GET('/v1/webhooks/{id}', { params }));
      const body = await changedWebhook(client, present, { ...flags, project });
      if (Object.keys(body).length === 0) failWith('usage', 'there is nothing to change: no flag says what');
      const { data } = await unwrap(client.PATCH('/v1/webhooks/{id}', { params, body }));
      // The command that makes a webhook for a chat prints no secret.
      if (present.format !== 'standard' && data.format === 'standard')
        terminal.note(`its messages are signed from now on: testledger webhooks rotate ${id} shows a secret`);
      terminal.result({ webhook: data }, linesOf(data));
      return exitCodes.ok;
    }),
});

const ping = command<ServerFlags & { webhook: string }>({
  command: 'ping <webhook>',
  describe: 'Send a message that only says that the webhook works',
  flags: (parser) => ofWebhook(serverFlags(parser)),
  run: ({ webhook: id, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const { data } = await unwrap(client.POST('/v1/webhooks/{id}/ping', { params: { path: { id } } }));
      terminal.note(`the ping is on its way: testledger webhooks deliveries ${id}`);
      terminal.result(data, [data.event_id]);
      return exitCodes.ok;
    }),
});

/** A webhook that was switched off takes no resend and no recovery. */
function switching(name: 'enable' | 'disable', describe: string) {
  return command<ServerFlags & { webhook: string }>({
    command: `${name} <webhook>`,
    describe,
    flags: (parser) => ofWebhook(serverFlags(parser)),
    run: ({ webhook: id, ...flags }, terminal) =>
      withClient(flags, async (client) => {
        const body = { enabled: name === 'enable' };
        const params = { path: { id } };
        const { data } = await unwrap(client.PATCH('/v1/webhooks/{id}', { params, body }));
        terminal.result({ webhook: data }, table([rowOf(data)]));
        return exitCodes.ok;
      }),
  });
}

const rotate = command<ServerFlags & { webhook: string }>({
  command: 'rotate <webhook>',
  describe: 'Give a webhook a new secret, and print it once; the old one signs for another 24 hours',
  flags: (parser) => ofWebhook(serverFlags(parser)),
  run: ({ webhook: id, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const path = '/v1/webhooks/{id}/rotate-secret';
      const { data } = await unwrap(client.POST(path, { params: { path: { id } } }));
      terminal.note(`the new secret of ${id} is shown only now:`);
      terminal.result({ webhook: data }, [data.secret]);
      return exitCodes.ok;
    }),
});

const remove = command<ServerFlags & { webhook: string }>({
  command: 'delete <webhook>',
  describe: 'Delete a webhook; its waiting messages are not sent',
  flags: (parser) => ofWebhook(serverFlags(parser)),
  run: ({ webhook: id, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      await unwrap(client.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }));
      terminal.result({ deleted: id }, [`deleted ${id}`]);
      return exitCodes.ok;
    }),
});

export const webhooksCommand = group('webhooks', 'The webhooks of the team', [
  list,
  create,
  preview,
  show,
  change,
  ping,
  deliveriesCommand,
  resendCommand,
  recoverCommand,
  switching('enable', 'Switch a webhook on; `recover` sends what it missed'),
  switching('disable', 'Switch a webhook off; its waiting messages are not sent'),
  rotate,
  remove,
]);

function rowOf({ id, url, enabled, disabled_reason: reason }: Webhook): string[] {
  return [id, enabled ? 'enabled' : `disabled: ${reason ?? 'unknown'}`, url];
}

function linesOf(webhook: Webhook): string[] {
  const { events, project_ids, filter, per, format, last_delivery: last } = webhook;
  const attempt = last === null ? 'none yet' : `${last.at}: ${last.state}, ${last.status ?? 'no answer'}`;
  return [
    ...table([rowOf(webhook)]),
    `events: ${events.join(', ')}`,
    `projects: ${project_ids?.join(', ') ?? 'all'}`,
    `filter: ${filter === null ? 'none' : JSON.stringify(filter)}`,
    `one message per ${per}, in the format ${format}`,
    `last attempt: ${attempt}`,
  ];
}
