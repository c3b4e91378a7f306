/** What the pages share that make or change an account. */
import type { FormFault } from '../../form-fault.js';
import type { Shown } from '../../page.js';
import { Field } from '../../parts/forms/form.js';
import { limits } from '../../../limits.js';
import type { NewAccount } from '../../../people/people.js';

/** The account that a form describes. */
export function accountOf(form: URLSearchParams): NewAccount {
  return {
    name: (form.get('name') ?? '').trim(),
    email: (form.get('email') ?? '').trim(),
    password: form.get('password') ?? '',
  };
}

/** `sent`: what was typed before, without the password. */
type Filled = {
  sent?: Pick<NewAccount, 'name' | 'email'> | undefined;
  fault?: FormFault | undefined;
};

export function AccountFields({ sent, fault }: Filled) {
  return (
    <>
      <ProfileFields sent={sent} fault={fault} />
      <NewPassword fault={fault} />
    </>
  );
}

export function ProfileFields({ sent, fault }: Filled) {
  return (
    <>
      <Field
        label="Your name"
        name="name"
        value={sent?.name}
        required
        maxLength={255}
        autocomplete="name"
        error={fault?.fields['name']}
      />
      <Field
        label="E-mail"
        name="email"
        type="email"
        value={sent?.email}
        required
        maxLength={limits.emailLength}
        autocomplete="username"
        error={fault?.fields['email']}
      />
    </>
  );
}

export function NewPassword({
  label = 'Password',
  fault,
}: {
  label?: string;
  fault?: FormFault | undefined;
}) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      required
      minLength={limits.passwordLeast}
      maxLength={limits.passwordLength}
      autocomplete="new-password"
      hint={`At least ${limits.passwordLeast} characters.`}
      error={fault?.fields['password']}
    />
  );
}

/** The same page for a link that has expired, was used, or never was. */
export function deadLink(advice: string): Shown {
  return {
    status: 404,
    title: 'The link does not work',
    body: (
      <section class="card panel">
        <h1>This link does not work</h1>
        <p>It has expired, or it was used before. Each link works once.</p>
        <p>{advice}</p>
        <p>
          <a href="/sign-in">Sign in</a>
        </p>
      </section>
    ),
  };
}
