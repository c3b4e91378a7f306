/** What the pages of webhooks share: their fields, their states, the secret. */
import { messageTypes, subscribableTypes } from '../../../domain/messages/message-types.js';
import type { FormFault } from '../../form-fault.js';
import { Field } from '../../parts/form.js';
import { ShownOnce } from '../../parts/notice.js';

/** A delivery takes a moment, and the person who sent a ping waits for it. */
export const LIVE_EVERY_MS = 2_000;

export type SentWebhook = { url: string; events: string[] };

/** The webhook that a form describes. All events together are every event, also those of later versions. */
export function bodyOf(form: URLSearchParams): SentWebhook {
  const chosen = form.getAll('events');
  const isAll = subscribableTypes.every((type) => chosen.includes(type));
  return { url: (form.get('url') ?? '').trim(), events: isAll ? ['*'] : chosen };
}

export function WebhookFields({
  sent = { url: '', events: ['test.failed', 'run.completed'] },
  fault,
}: {
  sent?: SentWebhook | undefined;
  fault?: FormFault | undefined;
}) {
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        value={sent.url}
        required
        maxLength={2_000}
        placeholder="https://example.com/hooks/tests"
        autocomplete="off"
        error={fault?.fields['url']}
      />
      <fieldset>
        <legend>Send a message when</legend>
        {subscribableTypes.map((type) => (
          <label class="check">
            <input
              type="checkbox"
              name="events"
              value={type}
              checked={sent.events.includes('*') || sent.events.includes(type)}
            />
            {messageTypes[type].when} <code class="soft">{type}</code>
          </label>
        ))}
        {fault?.fields['events'] && <p class="field-error">Choose at least one event.</p>}
      </fieldset>
    </>
  );
}

export function Secret({ url, secret }: { url: string; secret: string }) {
  return (
    <ShownOnce title={`The secret of ${url}`} text={secret} label="Copy the secret">
      <p class="soft small">
        It signs each message (Standard Webhooks). It is shown only now; a new one can be made at any time.
      </p>
    </ShownOnce>
  );
}

const reasons: Readonly<Record<string, string>> = {
  requested: 'switched off',
  gone: 'off: the endpoint answered 410 Gone',
  failing: 'off: it failed for days',
};

export function WebhookState({ enabled, reason }: { enabled: boolean; reason: string | null }) {
  return enabled ? (
    <span class="badge passed">on</span>
  ) : (
    <span class="badge broken">{reasons[reason ?? ''] ?? 'off'}</span>
  );
}

const deliveryStates: Readonly<Record<string, { look: string; text: string }>> = {
  pending: { look: 'flaky', text: '· pending' },
  delivered: { look: 'passed', text: '✓ delivered' },
  exhausted: { look: 'failed', text: '✗ given up' },
  cancelled: { look: '', text: '– cancelled' },
};

export function DeliveryState({ state }: { state: string }) {
  const { look, text } = deliveryStates[state] ?? { look: '', text: state };
  return <span class={`badge ${look}`}>{text}</span>;
}
