/** Surface B: the trusts of a project, and the exchange of a build's token for a key. */
import { mustSee } from '../../domain/teams/access.js';
import { mustBePresent } from '../../domain/life.js';
import { project } from '../../domain/project.js';
import { streamNameOf } from '../../domain/teams/team-streams.js';
import type { TrustRecord } from '../../domain/teams/trust.js';
import { fail, invalid } from '../../errors.js';
import type { Exchange } from '../../trusts/exchange.js';
import { mayBeIssuer } from '../../trusts/issuer-keys.js';
import { checkTarget } from '../../webhooks/endpoint/target-url.js';
import { bodyReader } from '../bodies/body.js';
import { clientAddress } from '../client-address.js';
import { parseBody } from '../bodies/json.js';
import type { Requests } from '../requests.generated.js';
import { ok, withBody, type OpenRoute, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import type { Validate } from '../bodies/validate.js';
import { paged, requestedPage } from './pages.js';

export function trustRoutes({ inTurn, commands, webhookAllow }: Sources): Route[] {
  return [
    {
      method: 'POST',
      path: '/projects/:id/trusts',
      operation: {
        id: 'createTrust',
        summary: 'Trusts the tokens of a CI service, so that its builds need no stored key',
        answers: { 201: { data: 'Trust' } },
        errors: ['target_refused', 'trust_limit', 'event_limit', 'write_conflict'],
      },
      role: 'admin',
      ...withBody('CreateTrust', async ({ context, key, params, body, waitFor }) => {
        mustSee(key, params['id']!);
        // Builds would get keys by it long after this one has ended.
        if (key.expires_at !== null) fail('forbidden', 'A key that ends makes no trust, which has no end.');
        const { issuer, audience, claims } = body;
        if (!mayBeIssuer(issuer)) invalid('/issuer', 'not_a_url', 'must be an https URL');
        checkTarget(issuer, webhookAllow, '/issuer');
        const trust_id = context.ids.created('trust');
        const stream = streamNameOf('project', context.team, params['id']!);
        const command = { type: 'AddTrust', trust_id, issuer, audience, claims } as const;
        const { state } = await inTurn.execute(project, stream, context, command);
        // An exchange finds the project by its id in the read model, where a new one comes in a moment.
        await waitFor('records');
        const { trusts } = mustBePresent(state, 'project');
        return { status: 201, body: { data: shown(trusts.find((each) => each.trust_id === trust_id)!) } };
      }),
    },
    {
      method: 'GET',
      path: '/projects/:id/trusts',
      operation: {
        id: 'listTrusts',
        summary: 'Lists the trusts of a project, oldest first',
        answers: { 200: { page: 'Trust' } },
      },
      role: 'admin',
      query: 'PageQuery',
      async handle(call) {
        mustSee(call.key, call.params['id']!);
        const page = requestedPage(call);
        const stream = streamNameOf('project', call.key.team_id, call.params['id']!);
        const { trusts } = mustBePresent(await commands.load(project, stream), 'project');
        const part = trusts.slice(page.offset, page.offset + page.per_page);
        return ok(paged(part.map(shown), trusts.length, page));
      },
    },
    {
      method: 'DELETE',
      path: '/projects/:id/trusts/:trust',
      operation: {
        id: 'removeTrust',
        summary: 'Removes a trust, and ends the keys that builds got by it',
        answers: { 204: null },
        errors: ['write_conflict'],
      },
      role: 'admin',
      async handle({ context, key, params }) {
        mustSee(key, params['id']!);
        const stream = streamNameOf('project', context.team, params['id']!);
        await inTurn.execute(project, stream, context, { type: 'RemoveTrust', trust_id: params['trust']! });
        return { status: 204 };
      },
    },
  ];
}

function shown({ trust_id: id, issuer, audience, claims, created_at }: TrustRecord) {
  return { id, issuer, audience, claims, created_at };
}

/** More than a token and the other fields need: this route reads a body before it knows who sends it. */
const MOST_BYTES = 16 * 1_024;

export function ciTokenRoutes(
  exchange: Exchange,
  { validate, trustedProxies }: { validate: Validate; trustedProxies: readonly string[] },
): OpenRoute[] {
  const readBody = bodyReader(MOST_BYTES);
  return [
    {
      method: 'POST',
      path: '/v1/ci-token',
      body: 'ExchangeToken',
      operation: {
        id: 'exchangeToken',
        summary: 'Exchanges the token of a build for a key of one project, for a while',
        answers: { 200: { data: 'BuildKey' } },
        errors: [
          'validation_failed',
          'invalid_json',
          'invalid_token',
          'payload_too_large',
          'unsupported_media_type',
          'rate_limited',
          'log_unavailable',
          'unknown_event',
          'state_unavailable',
          'views_unavailable',
        ],
      },
      async handle(ctx) {
        const bytes = await readBody(ctx, async () => undefined);
        const wanted = validate.body('ExchangeToken', parseBody(bytes)) as Requests['ExchangeToken'];
        const data = await exchange(wanted, clientAddress(ctx.req, trustedProxies));
        ctx.set('Cache-Control', 'no-store');
        ctx.status = 200;
        ctx.body = { data };
      },
    },
  ];
}
