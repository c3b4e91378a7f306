/** What a member does with a cause: marks it as known or fixed, and says who works on it, why, and where its ticket is. */
import { atLeast } from '../../../domain/teams/team.js';
import type { components } from '../../../client/api.generated.js';
import type { PageRequest } from '../../page.js';
import { ButtonForm, Field, Form, Submit } from '../../parts/forms/form.js';
import { KnownUntil } from '../../parts/forms/known-until.js';
import { Linked } from '../../parts/texts/linked.js';
import { problems as knownProblems, type Problem as KnownProblem } from '../result/known-failure.js';
import type { Cause } from './state.js';

/** What is wrong with a form that was sent. */
export type Problem = KnownProblem | 'ticket' | 'text' | 'tests';

const problems: Readonly<Record<Problem, string>> = {
  ...knownProblems,
  ticket: 'Give the ticket as an address that begins with https:// or http://, of up to 2,048 characters.',
  text: 'Give an owner of up to 255 characters and a note of up to 4,096.',
  tests: 'This cause has more than 5,000 tests. Mark them one by one, or mend what they have in common.',
};

type ActionsProps = {
  cause: Cause;
  project: Pick<components['schemas']['Project'], 'status'>;
  path: string;
  problem: Problem | null;
  request: Pick<PageRequest, 'person' | 'team' | 'form'>;
};

export function Actions({ cause, project, path, request, problem }: ActionsProps) {
  const { csrf } = request.person;
  // An inactive project takes no writes.
  const mayChange = atLeast(request.team.role, 'member') && project.status === 'active';
  const isFixed = cause.state === 'fixed';
  return (
    <>
      <p class="facts">
        <span>
          Owner: <OwnerOf cause={cause} />
        </span>
        {cause.ticket !== null && (
          <span>
            Ticket:{' '}
            <span class="break">
              <Linked text={cause.ticket} most={80} />
            </span>
          </span>
        )}
        <copy-button data-text={path} data-label="Copy link" data-kind="link" />
      </p>
      {problem !== null && (
        <p class="notice error" role="alert">
          {problems[problem]}
        </p>
      )}
      {mayChange && (
        <div class="cause-actions">
          {isFixed || cause.state === 'came_back' ? (
            <Say state="open" path={path} csrf={csrf}>
              Open it
            </Say>
          ) : null}
          {!isFixed && (
            <Say state="fixed" path={path} csrf={csrf}>
              It is fixed
            </Say>
          )}
          {cause.known_failure !== null && (
            <ButtonForm action={`${path}/known-failure/end`} csrf={csrf}>
              End the known failures
            </ButtonForm>
          )}
          <MarkKnown path={path} request={request} open={problem === 'day' || problem === 'reason'} />
          <Work
            cause={cause}
            path={path}
            request={request}
            open={problem === 'ticket' || problem === 'text'}
          />
        </div>
      )}
    </>
  );
}

function OwnerOf({ cause: { owner, named_owner } }: { cause: Cause }) {
  if (owner === null) return <span class="soft">nobody</span>;
  return (
    <>
      <b class="break name">{owner}</b>
      {named_owner === null && <span class="soft small"> (of the test)</span>}
    </>
  );
}

function Say({
  state,
  path,
  csrf,
  children,
}: {
  state: 'open' | 'fixed';
  path: string;
  csrf: string;
  children: string;
}) {
  return (
    <Form action={path} csrf={csrf} class="inline">
      <button type="submit" name="state" value={state}>
        {children}
      </button>
    </Form>
  );
}

type Folded = { path: string; request: ActionsProps['request']; open: boolean };

function MarkKnown({ path, request: { person, form }, open }: Folded) {
  return (
    <details class="panel" open={open} id="known-failure">
      <summary>Mark all its tests as known</summary>
      <p class="hint">They go on running and failing, but fail no gate until the known failure ends.</p>
      <Form action={`${path}/known-failure`} csrf={person.csrf}>
        <KnownUntil form={form} />
        <Submit>Mark as known</Submit>
      </Form>
    </details>
  );
}

function Work({ cause, path, request: { person, form }, open }: Folded & { cause: Cause }) {
  const said = (name: 'owner' | 'note' | 'ticket', present: string | null) =>
    (open ? form.get(name) : null) ?? present ?? '';
  return (
    <details class="panel" open={open} id="work">
      <summary>Owner, note and ticket</summary>
      <Form action={path} csrf={person.csrf}>
        <Field
          label="Owner"
          name="owner"
          value={said('owner', cause.named_owner)}
          maxLength={255}
          placeholder={cause.owner ?? ''}
          hint="Who works on it. Without one, it is the owner of the test that failed last."
        />
        <Field
          label="Ticket"
          name="ticket"
          type="url"
          value={said('ticket', cause.ticket)}
          maxLength={2_048}
        />
        <div class="field">
          <label for="field-note">Note</label>
          <textarea id="field-note" name="note" rows={4} maxLength={4_096}>
            {said('note', cause.note)}
          </textarea>
        </div>
        <Submit>Save</Submit>
      </Form>
    </details>
  );
}

export function Note({ cause: { note } }: { cause: Cause }) {
  if (note === null) return null;
  return (
    <section class="panel" aria-label="Note">
      <p class="cause-note break">
        <Linked text={note} />
      </p>
    </section>
  );
}
