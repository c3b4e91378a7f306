/** A person's own account: name and e-mail, password, teams, and how to delete it. */
import type { SignedIn } from '../../../people/people.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { OpenPage, OpenPageRequest, PageReply, Shown } from '../../page.js';
import { Field, Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { NewPassword, ProfileFields } from './account-fields.js';
import { Sessions, sessionForms } from './sessions.js';

const path = '/account';

type Own = OpenPageRequest & { person: SignedIn };
type Part = 'profile' | 'password' | 'delete';

/** What was refused: the form, and what was typed there. Never a password. */
type Refused = { part: Part; fault: FormFault; sent?: { name: string; email: string } };

export const account: readonly OpenPage[] = [
  { method: 'GET', path, handle: (request) => signedIn(request, (own) => accountPage(own)) },
  {
    method: 'POST',
    path,
    handle: (request) =>
      signedIn(request, async (own) => {
        const sent = { name: own.form.get('name') ?? '', email: own.form.get('email') ?? '' };
        const change = () => own.people.changeProfile(own.person.person_id, sent, current(own), visitOf(own));
        return changing(own, { part: 'profile', sent }, async () => {
          await change();
          return { redirect: path };
        });
      }),
  },
  {
    method: 'POST',
    path: `${path}/password`,
    handle: (request) =>
      signedIn(request, (own) =>
        changing(own, { part: 'password' }, async () => {
          const passwords = { current: current(own), next: own.form.get('password') ?? '' };
          const { token } = await own.people.changePassword(own.person.person_id, passwords, visitOf(own));
          own.setSession(token);
          return { redirect: path };
        }),
      ),
  },
  {
    method: 'POST',
    path: `${path}/delete`,
    asksAgain: () => true,
    handle: (request) =>
      signedIn(request, (own) =>
        changing(own, { part: 'delete' }, async () => {
          const { person_id, memberships } = own.person;
          const [{ team_id: team, role } = { team_id: '', role: 'viewer' as const }] = memberships;
          const by = { person_id, team, role, ...visitOf(own) };
          await own.people.forget(by, person_id);
          own.setSession(null);
          return { redirect: '/sign-in' };
        }),
      ),
  },
  ...sessionForms,
  // A reload of what a refused form answered leads back to the page.
  ...(['password', 'delete'] as const).map((part): OpenPage => ({
    method: 'GET',
    path: `${path}/${part}`,
    handle: async () => ({ redirect: path }),
  })),
];

const visitOf = ({ correlationId, client }: Own) => ({ correlationId, client });
const current = ({ form }: Own): string => form.get('current_password') ?? '';

async function signedIn(
  request: OpenPageRequest,
  handle: (own: Own) => Promise<PageReply>,
): Promise<PageReply> {
  const { person } = request;
  return person === null
    ? { redirect: `/sign-in?next=${encodeURIComponent(path)}` }
    : handle({ ...request, person });
}

async function changing(
  own: Own,
  refused: Omit<Refused, 'fault'>,
  change: () => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await change();
  } catch (error) {
    const fault = formFault(error, ['sign_in_failed', 'rate_limited', 'last_owner']);
    return accountPage(own, { ...refused, fault });
  }
}

async function accountPage(own: Own, refused?: Refused): Promise<Shown> {
  const { person, people } = own;
  const hasPassword = await people.hasPassword(person.person_id);
  const sessions = await people.sessions(person.person_id, own.session ?? '');
  const faultOf = (part: Part) => (refused?.part === part ? refused.fault : undefined);
  return {
    status: refused?.fault.status ?? 200,
    retryAfter: refused?.fault.retryAfter,
    title: 'Your account',
    body: (
      <>
        <h1>Your account</h1>
        <div class="pair">
          <Profile
            person={person}
            sent={refused?.sent ?? person}
            fault={faultOf('profile')}
            hasPassword={hasPassword}
          />
          <Password person={person} fault={faultOf('password')} hasPassword={hasPassword} />
        </div>
        <Editor />
        <Sessions person={person} sessions={sessions} />
        <Teams person={person} />
        <Delete person={person} fault={faultOf('delete')} />
      </>
    ),
  };
}

type FormProps = { person: SignedIn; fault: FormFault | undefined; hasPassword: boolean };

function Profile({
  person,
  sent,
  fault,
  hasPassword,
}: FormProps & { sent: { name: string; email: string } }) {
  return (
    <section class="panel">
      <h2>Name and e-mail</h2>
      <p class="soft">Everything that you did shows the new name, what you did earlier too.</p>
      <Fault message={fault?.message} />
      <Form action={path} csrf={person.csrf}>
        <ProfileFields sent={sent} fault={fault} />
        {hasPassword && <CurrentPassword id="profile" fault={fault} />}
        <Submit>Save</Submit>
      </Form>
    </section>
  );
}

function Password({ person, fault, hasPassword }: FormProps) {
  return (
    <section class="panel">
      <h2>Password</h2>
      <p class="soft">
        {hasPassword
          ? 'A new password ends your sessions on every other device.'
          : 'You have none: you sign in by the identity provider.'}
      </p>
      <Fault message={fault?.message} />
      {hasPassword && (
        <Form action={`${path}/password`} csrf={person.csrf}>
          <CurrentPassword id="password" fault={fault} />
          <NewPassword label="New password" fault={fault} />
          <Submit>Save the password</Submit>
        </Form>
      )}
    </section>
  );
}

/** All forms of the page have this field. */
function CurrentPassword({ id, fault }: { id: string; fault: FormFault | undefined }) {
  return (
    <Field
      label="Current password"
      id={`field-current-for-${id}`}
      name="current_password"
      type="password"
      required
      autocomplete="current-password"
      error={fault?.fields['current_password']}
    />
  );
}

/** Kept by the browser: each machine has its own clones. */
function Editor() {
  return (
    <editor-setting hidden>
      <section>
        <h2>Your editor</h2>
        <form>
          <Field
            label="Address of a place in your editor"
            name="editor"
            spellcheck={false}
            maxLength={500}
            placeholder="vscode://file/home/me/{repo}/{file}:{line}"
            hint="Failures link their files to it. {file} and {line} are the place, {repo} is the last part of the project's repository. Editors: vscode, vscode-insiders, vscodium, cursor, windsurf, zed, idea, jetbrains. Without an address, there are no such links."
          />
          <Submit>Save</Submit> <span role="status" class="soft" />
        </form>
      </section>
    </editor-setting>
  );
}

function Teams({ person: { memberships } }: { person: SignedIn }) {
  return (
    <section>
      <h2>Your teams</h2>
      <ul>
        {memberships.map(({ team_id, team_name, role }) => (
          <li>
            <a class="break" href={`/teams/${team_id}/team`}>
              {team_name}
            </a>
            , as {role}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Delete({ person, fault }: Omit<FormProps, 'hasPassword'>) {
  return (
    <section>
      <h2>Delete the account</h2>
      <p>
        You leave all teams, your API keys end, and your name and e-mail become unreadable, in the event log
        too. What you did stays, without your name.
      </p>
      <Fault message={fault?.message} />
      <Form
        action={`${path}/delete`}
        csrf={person.csrf}
        confirm="Delete your account? Nobody can bring it back."
      >
        <Submit danger>Delete the account</Submit>
      </Form>
    </section>
  );
}
