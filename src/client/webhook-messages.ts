/** The messages of webhooks (docs/api.md, section 5.1). Their records are those of Surface A, as they stood at the event. */
import type { WebhookBody } from './api.generated.js';

/** `id` is the same each time the message is sent. */
export type WebhookMessage = WebhookBody & { id: string };
