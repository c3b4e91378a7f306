/** The form that redacts a result or a run: for what must not be shown any more. */
import { limits } from '../../../limits.js';
import { Field, Form, Submit } from './form.js';

/** `goes`: what nobody can see any more afterwards, in words. */
export function RedactForm({ action, csrf, goes }: { action: string; csrf: string; goes: string }) {
  return (
    <details class="below" id="redact">
      <summary>Redact…</summary>
      <p class="soft">
        For a secret or personal data that must not be here. {goes} go for good, on all pages and in the API.
        Verdicts, times and ids stay. Nobody can undo it.
      </p>
      <Form action={action} csrf={csrf}>
        <Field
          label="Why"
          name="reason"
          id="redact-reason"
          required
          maxLength={limits.redactionReasonLength}
          autocomplete="off"
          hint="It is kept in the history, so it must not repeat what is redacted."
        />
        <Submit danger>Redact it</Submit>
      </Form>
    </details>
  );
}
