/** The shards of each run with shards. The fold is that of the runs. */
import { collection } from '../../src/domain/projection.js';
import type { Shard } from '../../src/domain/runs/run-calls.js';

/** By run id: the shards that have come, in order. Apart from the run, which is written with each of its results. */
export type ShardsDocument = { team_id: string; run_id: string; received: readonly ReceivedShard[] };

export type ReceivedShard = Pick<Shard, 'index' | 'attempt'> & {
  /** The number of results that were sent, and the sum of their execution times. */
  results: number;
  duration_ms: number;
  at: string;
};

export const shardDocuments = collection<ShardsDocument>({ name: 'shards', ids: 'run', indexes: [] });
