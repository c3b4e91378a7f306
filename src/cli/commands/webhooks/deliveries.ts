/** The messages of a webhook: `testledger webhooks deliveries`, `resend` and `recover`. */
import type { Argv } from 'yargs';
import { unwrap, type components } from '../../../client/index.js';
import { deliveryStates, type DeliveryState } from '../../../domain/messages/delivery.js';
import { withClient } from '../../api.js';
import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import { table } from '../../table.js';

type Delivery = components['schemas']['Delivery'];

export const deliveriesCommand = command<
  ServerFlags & { webhook: string; state: string | undefined; limit: number }
>({
  command: 'deliveries <webhook>',
  describe: 'List the newest deliveries of a webhook',
  flags: (parser) =>
    ofWebhook(serverFlags(parser))
      .option('state', { type: 'string', choices: deliveryStates, describe: 'Only deliveries in this state' })
      .option('limit', { type: 'number', default: 20, describe: 'At most this number, up to 100' }),
  run: ({ webhook: id, state, limit, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const query = {
        per_page: limit,
        ...(state !== undefined && { state: state as DeliveryState }),
      };
      const { data: deliveries } = await unwrap(
        client.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } }),
      );
      terminal.result({ deliveries }, table(deliveries.map(rowOf)));
      return exitCodes.ok;
    }),
});

export const resendCommand = command<ServerFlags & { webhook: string; delivery: string }>({
  command: 'resend <webhook> <delivery>',
  describe: 'Send a delivery again, with the same bytes',
  flags: (parser) =>
    ofWebhook(serverFlags(parser)).positional('delivery', {
      type: 'string',
      demandOption: true,
      describe: 'The id of the delivery, as `webhooks deliveries` shows it',
    }),
  run: ({ webhook: id, delivery, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const path = '/v1/webhooks/{id}/deliveries/{delivery}/resend';
      const params = { path: { id, delivery } };
      const { data } = await unwrap(client.POST(path, { params }));
      terminal.result({ delivery: data }, table([rowOf(data)]));
      return exitCodes.ok;
    }),
});

export const recoverCommand = command<ServerFlags & { webhook: string; since: string }>({
  command: 'recover <webhook>',
  describe: 'Send what a webhook missed since an instant',
  flags: (parser) =>
    ofWebhook(serverFlags(parser)).option('since', {
      type: 'string',
      demandOption: true,
      describe: 'An RFC 3339 instant, such as 2026-11-21T00:00:00Z',
    }),
  run: ({ webhook: id, since, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const params = { path: { id } };
      const { data } = await unwrap(client.POST('/v1/webhooks/{id}/recover', { params, body: { since } }));
      terminal.result(data, [`made ${data.count} deliveries`]);
      return exitCodes.ok;
    }),
});

/** The positional argument that names a webhook. */
export function ofWebhook<T>(parser: Argv<T>): Argv<T & { webhook: string }> {
  return parser.positional('webhook', {
    type: 'string',
    demandOption: true,
    describe: 'The id of the webhook',
  });
}

function rowOf({ id, type, state, attempts, next_attempt_at: next }: Delivery): string[] {
  const last = attempts.at(-1);
  const answer =
    last === undefined ? 'no attempt yet' : `${last.at} ${last.error ?? last.status ?? 'no answer'}`;
  return [id, state, type, answer, next === null ? '' : `next ${next}`];
}
