/** The roles of keys and of members. */

/** In rising order: each role may do everything that the roles before it may do. */
export const memberRoles = ['viewer', 'member', 'admin', 'owner'] as const;
export type MemberRole = (typeof memberRoles)[number];

/**
 * `reporter` stands beside the others: it may use the routes that are marked for it, and no other. It is below them all
 * where roles are compared, so that a check that does not know of it refuses it.
 */
export const keyRoles = ['reporter', ...memberRoles] as const;
export type KeyRole = (typeof keyRoles)[number];

/** Whether a role may do everything that another role may do. */
export function atLeast(role: KeyRole, needed: KeyRole): boolean {
  return keyRoles.indexOf(role) >= keyRoles.indexOf(needed);
}

/**
 * The role that a key has now: the lower of its own role and the present role of its person. Null for the key of a
 * person who is no member: it is refused. A key without a person keeps its own role.
 */
export function effectiveRole(
  { role, person_id }: { role: KeyRole; person_id: string | null },
  roleOf: (person_id: string) => MemberRole | null,
): KeyRole | null {
  if (person_id === null) return role;
  const present = roleOf(person_id);
  return present === null || atLeast(role, present) ? present : role;
}
