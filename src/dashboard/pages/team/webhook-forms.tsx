/** What can be done with a webhook, on its page. */
import type { FormFault } from '../../form-fault.js';
import type { PageRequest } from '../../page.js';
import { ButtonForm, Field, Form, Submit } from '../../parts/forms/form.js';
import { PreviewButton, WebhookPreview, type Preview } from './webhook-preview.js';
import { bodyOf, WebhookFields, type Project, type SentWebhook } from './webhook-parts.js';

export function Buttons({ request, isOn }: { request: PageRequest; isOn: boolean }) {
  const { csrf } = request.person;
  const path = webhookPath(request);
  return (
    <div class="buttons">
      {isOn && (
        <ButtonForm action={`${path}/ping`} csrf={csrf}>
          Send a ping
        </ButtonForm>
      )}
      <ButtonForm
        action={`${path}/rotate-secret`}
        csrf={csrf}
        confirm="Make a new secret? Messages are signed with the new one from now on."
      >
        Make a new secret
      </ButtonForm>
      <ButtonForm action={`${path}/${isOn ? 'disable' : 'enable'}`} csrf={csrf}>
        {isOn ? 'Switch off' : 'Switch on'}
      </ButtonForm>
      <ButtonForm
        danger
        action={`${path}/delete`}
        csrf={csrf}
        confirm="Delete this webhook? Messages that wait for it are not sent any more."
      >
        Delete
      </ButtonForm>
    </div>
  );
}

export function Settings({
  request,
  hook,
  fault,
  preview,
  projects,
}: {
  request: PageRequest;
  hook: SentWebhook;
  fault: FormFault | undefined;
  preview: Preview | undefined;
  projects: readonly Project[];
}) {
  const path = webhookPath(request);
  const { csrf } = request.person;
  const isWrong = Object.keys(fault?.fields ?? {}).some((field) => field !== 'since');
  const isTyped = isWrong || preview !== undefined;
  const sent = isTyped ? bodyOf(request.form) : hook;
  return (
    <div class="pair">
      <details class="panel" open={isTyped}>
        <summary>Change the URL, the events or the filter</summary>
        {preview !== undefined && <WebhookPreview preview={preview} />}
        <Form action={`${path}/change`} csrf={csrf}>
          <WebhookFields sent={sent} fault={isWrong ? fault : undefined} projects={projects} />
          <div class="buttons">
            <Submit>Save</Submit>
            <PreviewButton path={path} />
          </div>
        </Form>
      </details>
      <details class="panel" open={fault?.fields['since'] !== undefined}>
        <summary>Send what was missed</summary>
        <Form action={`${path}/recover`} csrf={csrf}>
          <Field
            label="Since (UTC)"
            name="since"
            type="datetime-local"
            required
            hint="Every message since then that was not delivered is sent."
          />
          <Submit>Send them</Submit>
        </Form>
      </details>
    </div>
  );
}

export function webhookPath({ team, params }: PageRequest): string {
  return `/teams/${team.team_id}/team/webhooks/${encodeURIComponent(params['webhook']!)}`;
}
