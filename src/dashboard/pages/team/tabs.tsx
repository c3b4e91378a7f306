/** The head of the pages of a team: its name and its parts, as far as the role may see them. */
import type { ComponentChildren } from 'preact';
import { atLeast, memberRoles, type KeyRole, type MemberRole } from '../../../domain/teams/roles.js';
import type { Acting } from '../../../people/people.js';
import type { OpenPageRequest, PageRequest } from '../../page.js';
import type { Choice } from '../../parts/forms/form.js';
import { cut } from '../../text/short.js';

const tabs = [
  { path: '', text: 'Members', role: 'viewer' },
  { path: '/keys', text: 'API keys', role: 'admin' },
  { path: '/webhooks', text: 'Webhooks', role: 'admin' },
  { path: '/uploads', text: 'Uploads', role: 'member' },
  { path: '/usage', text: 'Usage', role: 'admin' },
  { path: '/audit', text: 'Audit', role: 'admin' },
  { path: '/redactions', text: 'Redactions', role: 'admin' },
  { path: '/settings', text: 'Settings', role: 'admin' },
] as const;

export function TeamPage({
  request: { team },
  here,
  children,
}: {
  request: PageRequest;
  here: (typeof tabs)[number]['path'];
  children: ComponentChildren;
}) {
  const base = `/teams/${team.team_id}/team`;
  const open = tabs.filter(({ role }) => atLeast(team.role, role));
  return (
    <>
      <h1>{team.team_name}</h1>
      {open.length > 1 && (
        <nav class="tabs" aria-label="Parts of the team">
          {open.map(({ path, text }) => (
            <a href={base + path} aria-current={path === here ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      )}
      {children}
    </>
  );
}

/** Of these roles, those that somebody with this role may give, the lowest first. */
export function rolesUpTo(role: MemberRole, among: readonly KeyRole[] = memberRoles): Choice[] {
  return among.filter((each) => atLeast(role, each)).map((each) => ({ value: each, text: each }));
}

/** The role that a form names; `viewer` for anything else, which the form does not offer. */
export function roleIn(form: URLSearchParams): MemberRole {
  return memberRoles.find((role) => role === form.get('role')) ?? 'viewer';
}

/** The person of the request, as they act in the team. */
export function actingIn({ person, team, correlationId, client }: PageRequest): Acting {
  return { person_id: person.person_id, team: team.team_id, role: team.role, correlationId, client };
}

/** An owner can take the team away from everybody else. */
export const givesOwner = ({ form }: Pick<OpenPageRequest, 'form'>): boolean => roleIn(form) === 'owner';

/** Whether the person whom the form is about is an owner. */
export async function isAboutOwner({ people, params }: OpenPageRequest): Promise<boolean> {
  const members = await people.members(params['team']!);
  return members.some(({ person_id, role }) => person_id === params['person'] && role === 'owner');
}

/** A name as it stands in questions and labels, where it is repeated. */
export function shortened(name: string): string {
  return cut(name, 60);
}
