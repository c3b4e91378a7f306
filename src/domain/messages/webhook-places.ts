/**
 * The places of a team's webhooks. A team has `limits.webhooksPerTeam` of them, and each webhook takes one before it is
 * created. They have a stream of their own, so that of many requests at once no more succeed than there are places.
 */
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';
import type { Decider } from '../decider.js';
import { streamName, type Instant, type StreamName } from '../event.js';
import type { WebhookPlaceEvent } from '../events.js';

export type WebhookPlace = { webhook_id: string; at: Instant };

export type WebhookPlaces = { taken: readonly WebhookPlace[] };

/** `released`: webhooks that are deleted, or will never be created. */
export type WebhookPlaceCommand = { type: 'ReserveWebhook'; webhook_id: string; released: readonly string[] };

export const webhookPlaces: Decider<WebhookPlaces, WebhookPlaceCommand, WebhookPlaceEvent> = {
  initial: { taken: [] },

  decide({ webhook_id, released }, { taken }) {
    if (taken.some((place) => place.webhook_id === webhook_id)) return [];
    const left = taken.filter((place) => !released.includes(place.webhook_id));
    if (left.length >= limits.webhooksPerTeam) {
      fail('webhook_limit', `A team can have at most ${limits.webhooksPerTeam} webhooks.`);
    }
    return [{ type: 'WebhookReserved', data: { webhook_id, released: [...released] } }];
  },

  evolve(state, { type, data, meta }) {
    if (type !== 'WebhookReserved') return state;
    const left = state.taken.filter((place) => !data.released.includes(place.webhook_id));
    return { taken: [...left, { webhook_id: data.webhook_id, at: meta.at }] };
  },
};

/** Beside the streams of the team's webhooks. Its id is that of the team. */
export function webhookPlacesStream(team: string): StreamName {
  return streamName('webhook', team, team);
}
