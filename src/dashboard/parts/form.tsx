/** Forms that change something. */
import type { ComponentChildren } from 'preact';
import { TOKEN_FIELD } from '../same-origin.js';

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

/** A text field with its label, and what is wrong with it. */
export function Field({
  label,
  name,
  type = 'text',
  hint,
  ...rest
}: {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'search' | 'date';
  hint?: string;
  value?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  autocomplete?: string;
  placeholder?: string;
}) {
  const id = `field-${name}`;
  // The types of preact want one literal.
  const typed = { type } as { type: 'text' };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} {...typed} aria-describedby={hint && `${id}-hint`} {...rest} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
