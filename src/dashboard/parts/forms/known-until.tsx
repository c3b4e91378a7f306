/** The fields of a form that marks something as known: why, and until when. `form`: what was sent, where it was refused. */
import type { ComponentChildren } from 'preact';

export function KnownUntil({ form, children }: { form: URLSearchParams; children?: ComponentChildren }) {
  const end = form.get('for') ?? '7';
  return (
    <>
      <div class="field">
        <label for="known-reason">Reason</label>
        <input
          id="known-reason"
          name="reason"
          value={form.get('reason') ?? ''}
          required
          maxLength={1_024}
          placeholder="SHOP-123: …"
        />
      </div>
      <fieldset class="options">
        <legend>Until</legend>
        <Choice value="1" label="1 day" chosen={end} />
        <Choice value="7" label="7 days" chosen={end} />
        <Choice value="30" label="30 days" chosen={end} />
        <Choice value="date" label="the day" chosen={end} requires="known-until" />
        <input
          type="date"
          id="known-until"
          name="until"
          value={form.get('until') ?? ''}
          required={end === 'date'}
          aria-label="The day on which it ends"
        />
      </fieldset>
      {children}
    </>
  );
}

/** `requires`: the id of a field that must be filled in with this choice. */
function Choice({
  value,
  label,
  chosen,
  requires,
}: {
  value: string;
  label: string;
  chosen: string;
  requires?: string;
}) {
  return (
    <label class="check">
      <input type="radio" name="for" value={value} checked={value === chosen} data-requires={requires} />{' '}
      {label}
    </label>
  );
}
