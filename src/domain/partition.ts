/**
 * Partitions: every team is in one of 32, by the last character of its id, which has five random bits of its UUID. A
 * projection has a checkpoint for each partition, so one team cannot hold up the teams of the others. No document and
 * no page belongs to two teams, so none belongs to two partitions.
 */

/** One character of `ALL_PARTITIONS`. */
export type Partition = string;

/** A set of partitions: their characters, in this order. */
export type Partitions = string;

/** The alphabet of TypeIDs: https://github.com/jetify-com/typeid */
export const ALL_PARTITIONS: Partitions = '0123456789abcdefghjkmnpqrstvwxyz';

/** The partition of a team. An id that is not a TypeID has one too. */
export function partitionOf(team: string): Partition {
  const last = team.at(-1) ?? '0';
  if (ALL_PARTITIONS.includes(last)) return last;
  return ALL_PARTITIONS[last.charCodeAt(0) % ALL_PARTITIONS.length]!;
}

/** The last characters of the ids of all teams that are in these partitions, for the filters of logs. */
export function lastCharactersOf(partitions: Partitions): string[] {
  return PRINTABLE.filter((character) => partitions.includes(partitionOf(character)));
}

/** The partitions of one set that are not in the other. */
export function without(partitions: Partitions, others: Partitions): Partitions {
  return keep((partition) => partitions.includes(partition) && !others.includes(partition));
}

/** The partitions of both sets. */
export function union(one: Partitions, other: Partitions): Partitions {
  return keep((partition) => one.includes(partition) || other.includes(partition));
}

function keep(wanted: (partition: Partition) => boolean): Partitions {
  return ALL_PARTITIONS.split('').filter(wanted).join('');
}

const PRINTABLE = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n));
