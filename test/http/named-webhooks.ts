/** The requests for webhooks that others must not reach. */
import { newWebhook } from './given.js';

type Ids = { webhook: string };
type Sent = { path: string; body?: object };

export const namingWebhooks: Record<string, (theirs: Ids, own: Ids) => Sent[]> = {
  'GET /v1/webhooks/:id': ({ webhook }) => [{ path: `/v1/webhooks/${webhook}` }],
  'PATCH /v1/webhooks/:id': ({ webhook }) => [
    { path: `/v1/webhooks/${webhook}`, body: { url: 'https://example.org/taken' } },
    { path: `/v1/webhooks/${webhook}`, body: { enabled: false } },
    { path: `/v1/webhooks/${webhook}`, body: {} },
  ],
  'DELETE /v1/webhooks/:id': ({ webhook }) => [{ path: `/v1/webhooks/${webhook}` }],
  'POST /v1/webhooks/:id/ping': ({ webhook }) => [{ path: `/v1/webhooks/${webhook}/ping` }],
  'POST /v1/webhooks/:id/rotate-secret': ({ webhook }) => [{ path: `/v1/webhooks/${webhook}/rotate-secret` }],
  'POST /v1/webhooks/:id/recover': ({ webhook }) => [
    { path: `/v1/webhooks/${webhook}/recover`, body: { since: '2026-01-01T00:00:00Z' } },
  ],
  'GET /v1/webhooks/:id/deliveries': ({ webhook }) => [
    { path: `/v1/webhooks/${webhook}/deliveries` },
    { path: `/v1/webhooks/${webhook}/deliveries?state=pending` },
  ],
  'POST /v1/webhooks/:id/deliveries/:delivery/resend': (theirs, own) => {
    const resend = (webhook: string) => ({
      path: `/v1/webhooks/${webhook}/deliveries/delivery_01h455vb4pex5vsknk084sn02q/resend`,
    });
    return [resend(theirs.webhook), resend(own.webhook)];
  },
};

/** They name none. */
export const webhooksOfTeam: Record<string, Sent> = {
  'GET /v1/webhooks': { path: '/v1/webhooks' },
  'POST /v1/webhooks': { path: '/v1/webhooks', body: newWebhook },
  'POST /v1/webhooks/preview': { path: '/v1/webhooks/preview', body: newWebhook },
};
