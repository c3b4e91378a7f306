/** What the sender of a request may do: its role, and the projects of its team that exist for it. */
import { notFound } from '../life.js';
import { atLeast, type KeyRole, type MemberRole } from './roles.js';

/** `project_ids`: null for all projects of the team. To a key with some, everything else does not exist. */
export type Access = {
  team_id: string;
  role: KeyRole;
  /** The present role of the person of the key; null for one without a person. */
  person_role: MemberRole | null;
  project_ids: readonly string[] | null;
};

/** Whoever reads or writes things of a team, as far as it decides which things exist. */
export type Reader = Pick<Access, 'team_id' | 'project_ids'>;

/** The program itself, and whoever was let in to the thing that leads to another one. */
export function wholeTeam(team_id: string): Reader {
  return { team_id, project_ids: null };
}

/** What a route asks for: the lowest role, and whether a reporter may use it. */
export type Demand = { role: MemberRole; reporter?: boolean };

/** A key has the rights that its role and its person's role share. */
export function mayUse({ role, person_role }: Pick<Access, 'role' | 'person_role'>, demand: Demand): boolean {
  const allows = (each: KeyRole): boolean =>
    each === 'reporter' ? demand.reporter === true : atLeast(each, demand.role);
  return allows(role) && (person_role === null || allows(person_role));
}

/** Whether a key sees and writes a project. `project`: null for what belongs to no project, but to the whole team. */
export function maySee({ project_ids }: Pick<Access, 'project_ids'>, project: string | null): boolean {
  return project_ids === null || (project !== null && project_ids.includes(project));
}

/** @throws AppError `not_found` for a project that does not exist for the key. `name`: a word for what was asked for. */
export function mustSee(access: Pick<Access, 'project_ids'>, project: string | null, name = 'project'): void {
  if (!maySee(access, project)) notFound(name);
}

/** Whether something that reaches some projects (null: all) reaches none that the key does not see. */
export function reachesNoFurther(
  { project_ids }: Pick<Access, 'project_ids'>,
  reached: readonly string[] | null,
): boolean {
  return project_ids === null || (reached !== null && reached.every((each) => project_ids.includes(each)));
}
