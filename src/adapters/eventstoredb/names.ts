/** Which streams of a shared cluster are ours, and which events a filter lets through. */
import { eventTypeFilter, streamNameFilter, type Filter } from '@eventstore/db-client';
import type { EventFilter } from '../../ports/event-log.js';
import { categories, type StreamName } from '../../domain/event.js';
import { ALL_PARTITIONS, lastCharactersOf, partitionOf, type Partitions } from '../../domain/partition.js';
import { quoted } from '../../domain/text/quoted.js';
import { parsePrefix } from '../shared/event-checks.js';

/** A stream of ours. `category` and `team` are the prefixes that filters name: `run-` and `run-team_1.` */
export type OwnStream = { stream: StreamName; category: string; prefix: string; team: string };

export type StreamNames = {
  /** The name on the server. Null for a name that no stream of ours can have. */
  toServer(stream: StreamName): string | null;
  /** The parts of the name of a stream. Null for a name that no stream of ours can have. */
  own(stream: string): OwnStream | null;
  /** Null for streams of the system, of other installations and of other programs. */
  fromServer(name: string): OwnStream | null;
  /** @throws Error for a text that is not a prefix. */
  filter(filter: EventFilter | undefined): StreamFilter;
};

export type StreamFilter = {
  /** Filters with equal keys let the same through. */
  key: string;
  /** The server's part of the filter. Null where the filter lets nothing through. */
  onServer: ((checkpoints: Checkpoints) => Filter) | null;
  /** The exact filter. The server lets more through: types with the same beginning, and streams of other programs. */
  wants(stream: OwnStream, type: string): boolean;
};

export type Checkpoints = Pick<Filter, 'maxSearchWindow' | 'checkpointReached'>;

const OWN_STREAM = new RegExp(`^((?:${categories.join('|')})-)(team_[\\dA-Za-z_]+)\\.[\\x21-\\x7e]+$`);

/** The names of an installation. */
export function streamNames(namespace: string | null): StreamNames {
  const before = namespace === null ? '' : `${namespace}~`;
  return {
    toServer: (stream) => (OWN_STREAM.test(stream) ? before + stream : null),
    own: parse,
    fromServer: (name) => (name.startsWith(before) ? parse(name.slice(before.length)) : null),
    filter: ({ streams, types, partitions } = {}) => {
      streams?.forEach(parsePrefix);
      const wanted = streams && new Set(streams);
      const kinds = types && new Set(types);
      const prefixes = [...new Set(streams ?? categories.map((category) => `${category}-`))].map(
        (prefix) => before + prefix,
      );
      const nothing = streams?.length === 0 || types?.length === 0 || partitions === '';
      const kept = partitions === undefined || partitions === ALL_PARTITIONS ? undefined : partitions;
      return {
        key: JSON.stringify([streams, types, kept]),
        onServer: nothing
          ? null
          : (checkpoints) =>
              kept !== undefined
                ? streamNameFilter({ regex: ofPartitions(prefixes, kept), ...checkpoints })
                : streams === undefined && types !== undefined
                  ? eventTypeFilter({ prefixes: [...types], ...checkpoints })
                  : streamNameFilter({ prefixes, ...checkpoints }),
        wants: ({ category, prefix, team }, type) =>
          (kept === undefined || kept.includes(partitionOf(team))) &&
          (wanted === undefined || wanted.has(category) || wanted.has(prefix)) &&
          (kinds === undefined || kinds.has(type)),
      };
    },
  };
}

/** Streams with one of the prefixes, whose team is in one of the partitions. */
function ofPartitions(prefixes: readonly string[], partitions: Partitions): string {
  const last = lastCharactersOf(partitions).map(quoted).join('|');
  // A prefix that names a team ends with the dot after it.
  const either = prefixes.map(
    (prefix) => quoted(prefix) + (prefix.endsWith('.') ? '' : `[^.]*(?:${last})\\.`),
  );
  return `^(?:${either.join('|')})`;
}

function parse(stream: string): OwnStream | null {
  const [, category, team] = OWN_STREAM.exec(stream) ?? [];
  if (category === undefined || team === undefined) return null;
  return { stream, category, prefix: `${category}${team}.`, team };
}
