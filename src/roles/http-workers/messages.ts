/** The messages between the first process and the workers, which answer HTTP. */
import type { MetricObject } from 'prom-client';
import type { TakenPoints } from '../../concurrency/shared-points.js';
import type { Config } from '../../config.js';
import type { ProcessFacts } from '../core.js';
import type { AppendAnswer, AppendRequest } from '../remote-append.js';

/** Something that a thread has announced, for the threads of the other processes. */
export type Announcement = { type: 'announced'; channel: string; data: unknown };

export type Points = { type: 'points'; taken: TakenPoints };

export type Begin = {
  type: 'begin';
  config: Config;
  /** The start of the first process: all workers hold idempotency keys in its name. */
  boot: string;
  /** This worker makes the link of a first start. */
  makesFirstStart: boolean;
};

export type Up = { type: 'up'; url: string; routes: readonly string[]; firstStart: string | null };

/** What all processes together show. */
export type Overview = { metrics: string; facts: ProcessFacts };

export type ToWorker =
  | Begin
  | AppendAnswer
  | Announcement
  | Points
  | { type: 'measure'; call: number }
  | { type: 'overview'; call: number; overview: Overview | { error: string } }
  /** The worker ends this many connections, each with its next answer. */
  | { type: 'end_connections'; count: number }
  | { type: 'stop' };

/** The measurements of one process. */
export type Measured = { metrics: MetricObject[]; facts: ProcessFacts };

export type FromWorker =
  /** It takes messages from now on. Node drops those that come while its modules load. */
  | { type: 'loaded' }
  | Up
  | { type: 'failed'; error: string }
  | AppendRequest
  | Announcement
  | Points
  | { type: 'measured'; call: number; measured: Measured }
  /** The number of connections that have sent a request since the last message. */
  | { type: 'connections'; active: number }
  | { type: 'overview'; call: number };
