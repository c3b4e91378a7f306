/** What pages show of the server itself, beside the data of a team. */
import type { Instant } from '../domain/event.js';
import type { UploadCount } from '../http/backpressure/upload-counts.js';

export type ServerFacts = {
  /** The state of the server now. Parts that a store cannot tell at the moment are null. */
  operations(): Promise<Operations>;
  /** Submitted runs of a team in the last 24 hours, by hour and outcome, as this process has counted them. */
  uploads(team: string): readonly UploadCount[];
};

export type Operations = {
  process: {
    version: string;
    roles: readonly string[];
    started_at: Instant;
    memory_bytes: number;
    /** Bytes of artifacts that this process has deleted from storage since its start. */
    reclaimed_bytes: number;
  };
  log: {
    /** Where the log is, without a password. */
    place: string;
    head: string | null;
    /** Null for a store that does not count them, or does not answer. */
    events: number | null;
  };
  /** The bytes of the files that the server keeps by itself; a store on a server of its own is not counted. */
  storage: readonly { name: string; bytes: number }[];
  projections: readonly ProjectionFacts[];
  queues: {
    /** Age in seconds of the oldest message without recorded deliveries; 0 when there is none. */
    outbox_seconds: number | null;
    deliveries_pending: number | null;
  };
  leases: readonly LeaseFacts[] | null;
};

export type ProjectionFacts = {
  name: string;
  version: number;
  /** Null while the store of the read models is away. */
  progress: { position: string; lag_seconds: number; checkpoints: number } | null;
  rebuild: {
    status: 'requested' | 'running' | 'done' | 'failed';
    build: number | null;
    events: number;
    requested_at: Instant;
    finished_at: Instant | null;
    error: string | null;
  } | null;
  stuck: readonly { partitions: string; since: Instant; event: string | null; error: string }[];
};

/** `holder`: the start of a thread or process that leads; null while nobody does. */
export type LeaseFacts = { name: string; holder: string | null; epoch: number; until: Instant };
