/** Which role the groups of a person give them. */
import { atLeast, memberRoles, type MemberRole } from '../../domain/teams/roles.js';

/** `group`: as the provider names it. */
export type GroupRole = { group: string; role: MemberRole };

/** The highest role that one of the groups gives; null for none. */
export function roleByGroups(rules: readonly GroupRole[], groups: readonly string[]): MemberRole | null {
  const given = rules.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  return given.reduce<MemberRole | null>(
    (best, role) => (best === null || atLeast(role, best) ? role : best),
    null,
  );
}

/** Reads `ledger-admins=admin, developers=member`. @throws Error that says what is wrong */
export function groupRolesOf(text: string): GroupRole[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.lastIndexOf('=');
      const [group, role] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      const known = memberRoles.find((each) => each === role);
      if (at < 1 || group === '' || known === undefined) {
        throw new Error(
          `must be <group>=<role>, separated by commas, with a role of ${memberRoles.join(', ')}`,
        );
      }
      return { group, role: known };
    });
}
