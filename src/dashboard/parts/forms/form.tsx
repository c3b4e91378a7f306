/** Forms that change something. */
import type { ComponentChildren } from 'preact';
import { TOKEN_FIELD } from '../../same-origin.js';

/** A form with the token of the session, without which the server refuses it. `confirm`: a question before it is sent. */
export function Form({
  action,
  csrf,
  confirm,
  children,
  ...rest
}: {
  action: string;
  /** Null where no person has signed in. */
  csrf: string | null;
  confirm?: string;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <form method="post" action={action} data-confirm={confirm} {...rest}>
      {csrf !== null && <input type="hidden" name={TOKEN_FIELD} value={csrf} />}
      {children}
    </form>
  );
}

/** The button of a form with fields. */
export function Submit({ danger = false, children }: { danger?: boolean; children: ComponentChildren }) {
  return (
    <button class={danger ? 'danger' : 'main'} type="submit">
      {children}
    </button>
  );
}

/** A form that is only a button. `label`: its name for a screen reader, where the text needs the row that it stands in. */
export function ButtonForm({
  danger = false,
  label,
  children,
  ...form
}: Parameters<typeof Form>[0] & { danger?: boolean; label?: string }) {
  return (
    <Form {...form}>
      <button class={danger ? 'danger' : undefined} type="submit" aria-label={label}>
        {children}
      </button>
    </Form>
  );
}

/** A text field with its label, and what is wrong with it. */
export function Field({
  label,
  name,
  type = 'text',
  id = `field-${name}`,
  hint,
  error,
  ...rest
}: {
  label: string;
  name: string;
  /** Where another form of the page has a field with this name. */
  id?: string;
  type?: 'text' | 'email' | 'password' | 'search' | 'date' | 'url' | 'datetime-local';
  hint?: string;
  /** What is wrong with the value that was sent. */
  error?: string | undefined;
  value?: string | undefined;
  required?: boolean;
  spellcheck?: boolean;
  minLength?: number;
  maxLength?: number;
  autocomplete?: string;
  placeholder?: string;
}) {
  // The types of preact want one literal.
  const typed = { type } as { type: 'text' };
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        {...typed}
        aria-describedby={described || undefined}
        aria-invalid={error === undefined ? undefined : 'true'}
        {...rest}
      />
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export type Choice = { value: string; text: string };

/** A choice of one, with its label. `label` is read out only where `plain`. */
export function Select({
  label,
  name,
  choices,
  value,
  plain = false,
  id = `field-${name}`,
}: {
  label: string;
  name: string;
  choices: readonly Choice[];
  value?: string | undefined;
  plain?: boolean;
  id?: string;
}) {
  const options = choices.map((choice) => (
    <option value={choice.value} selected={choice.value === value}>
      {choice.text}
    </option>
  ));
  if (plain) {
    return (
      <select name={name} aria-label={label}>
        {options}
      </select>
    );
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options}
      </select>
    </div>
  );
}
