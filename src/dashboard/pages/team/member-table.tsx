/** The members of a team as rows, with what can be done about each of them. */
import { atLeast } from '../../../domain/teams/team.js';
import type { Member } from '../../../people/people.js';
import type { PageRequest } from '../../page.js';
import { ButtonForm, Form, Select } from '../../parts/forms/form.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { rolesUpTo, shortened } from './tabs.js';

export function MemberTable({
  request,
  shown,
  mayManage,
}: {
  request: PageRequest;
  shown: readonly Member[];
  mayManage: boolean;
}) {
  return (
    <Table
      class="members"
      open
      columns={{ Name: '', Role: '', Joined: 'wide-only', ...(mayManage && { Actions: 'actions' }) }}
    >
      {shown.map((member) => (
        <Row request={request} member={member} />
      ))}
    </Table>
  );
}

function Row({ request, member }: { request: PageRequest; member: Member }) {
  const { team, person } = request;
  const isMe = member.person_id === person.person_id;
  const mayManage = atLeast(team.role, 'admin');
  // Nobody changes somebody above them.
  const mayChange = mayManage && atLeast(team.role, member.role);
  const path = `/teams/${team.team_id}/team/members/${encodeURIComponent(member.person_id)}`;
  return (
    <tr data-row>
      <td>
        <span class="break">{member.name}</span> {isMe && <span class="badge">you</span>}
        <div class="soft small break">{member.email ?? 'forgotten'}</div>
      </td>
      <td>
        {mayChange ? (
          <Form class="inline" action={`${path}/role`} csrf={person.csrf}>
            <Select
              plain
              label={`Role of ${shortened(member.name)}`}
              name="role"
              choices={rolesUpTo(team.role)}
              value={member.role}
            />
            <button type="submit">Change</button>
          </Form>
        ) : (
          member.role
        )}
      </td>
      <td class="wide-only">
        <Ago at={member.added_at} />
      </td>
      {mayManage && (
        <td class="row-actions">{mayChange && <Actions request={request} member={member} path={path} />}</td>
      )}
    </tr>
  );
}

function Actions({ request, member, path }: { request: PageRequest; member: Member; path: string }) {
  const { team, person } = request;
  const isMe = member.person_id === person.person_id;
  const name = shortened(member.name);
  return (
    <details class="menu">
      <summary aria-label={`More for ${name}`}>More</summary>
      <div class="stack">
        {member.role !== team.role && (
          <ButtonForm action={`${path}/reset-link`} csrf={person.csrf}>
            Make a link for a new password
          </ButtonForm>
        )}
        {!isMe && (
          <a class="button danger" href={`${path}/remove`}>
            Remove from the team
          </a>
        )}
        {team.role === 'owner' && !isMe && member.email !== null && (
          <ButtonForm
            danger
            action={`${path}/forget`}
            csrf={person.csrf}
            confirm={`Forget ${name}? Their name and e-mail are deleted for ever, and they can never sign in again.`}
          >
            Forget this person
          </ButtonForm>
        )}
      </div>
    </details>
  );
}
