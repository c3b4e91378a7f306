/** The open invitations of a team, as its members page lists them for admins and owners. */
import { OPERATOR } from '../../../domain/teams/members.js';
import { atLeast } from '../../../domain/teams/team.js';
import type { OpenInvitation } from '../../../people/people.js';
import type { PageRequest } from '../../page.js';
import { ButtonForm } from '../../parts/forms/form.js';
import { Paged, Pager, pageOf } from '../../parts/lists/pager.js';
import { utc } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';

type InvitationsProps = {
  request: PageRequest;
  /** The URL of the list. */
  view: URL;
  open: readonly OpenInvitation[];
  /** The names of the members by their ids. */
  nameOf: ReadonlyMap<string, string>;
};

/** Each row has a form, beside those of the members. */
const PER_PAGE = 20;

/** The links themselves are shown once, when they are made. */
export function Invitations({ request: { team, person }, view, open, nameOf }: InvitationsProps) {
  const page = pageOf(view, 'invitations');
  const list = { url: view, page, perPage: PER_PAGE, total: open.length, name: 'invitations' };
  const rows = open.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  return (
    <>
      <h2>
        Open invitations <span class="count">{open.length}</span>
      </h2>
      <Paged list={list} shown={rows.length} empty={null}>
        <Table
          class="invitations stacked"
          columns={{ Role: '', 'Made by': '', 'Works until': '', Actions: 'actions' }}
        >
          {rows.map(({ invitation_id, role, invited_by, expires_at, isForOne }) => (
            <tr data-row>
              <th scope="row">
                {role}
                {isForOne && <div class="soft small">for one e-mail</div>}
              </th>
              <td class="break">
                <span class="narrow-only soft">by </span>
                {invited_by === OPERATOR ? 'the command line' : (nameOf.get(invited_by) ?? 'a former member')}
              </td>
              <td>
                <span class="narrow-only soft">until </span>
                {utc(expires_at)}
              </td>
              <td class="row-actions">
                {atLeast(team.role, role) && (
                  <ButtonForm
                    danger
                    action={`/teams/${team.team_id}/team/invitations/${encodeURIComponent(invitation_id)}/withdraw`}
                    csrf={person.csrf}
                  >
                    Withdraw
                  </ButtonForm>
                )}
              </td>
            </tr>
          ))}
        </Table>
      </Paged>
      <Pager {...list} label="Pages of invitations" />
    </>
  );
}
