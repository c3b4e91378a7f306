/** A client of EventStoreDB whose subscriptions the test controls. */
import type { AllStreamResolvedEvent, EventStoreDBClient, Filter } from '@eventstore/db-client';
import { PassThrough } from 'node:stream';
import { newEvent } from '../../contract/event-log/events.js';

export const at = (position: number): string => String(position).padStart(20, '0');

/** A subscription of the client, controlled by the test. */
export type Scripted = {
  from: unknown;
  stopped: boolean;
  event(position: number): void;
  checkpoint(position: number): Promise<void>;
  say(what: 'caughtUp' | 'end' | 'error', error?: Error): void;
  /** Ends the stream after what was sent. */
  finish(): void;
};

export function scriptedClient(): { client: EventStoreDBClient; subscriptions: Scripted[] } {
  const subscriptions: Scripted[] = [];
  const subscribeToAll = ({ fromPosition, filter }: { fromPosition: unknown; filter: Filter }) => {
    const stream = new PassThrough({ objectMode: true });
    const scripted: Scripted = {
      from: fromPosition,
      stopped: false,
      event: (position) => stream.write(resolved(position)),
      checkpoint: async (position) => {
        const there = { commit: BigInt(position), prepare: BigInt(position) };
        await filter.checkpointReached?.(undefined as never, there);
      },
      say: (what, error) => stream.emit(what, error),
      finish: () => void stream.end(),
    };
    subscriptions.push(scripted);
    return Object.assign(stream, {
      unsubscribe: async () => {
        scripted.stopped = true;
      },
    });
  };
  return { client: { subscribeToAll } as unknown as EventStoreDBClient, subscriptions };
}

function resolved(position: number): AllStreamResolvedEvent {
  const { id, type, version, data, meta } = newEvent({ position });
  const there = { commit: BigInt(position), prepare: BigInt(position) };
  const event = { id, type, data, metadata: { version, meta }, streamId: 'run-team_1.x', revision: 0n };
  return {
    event: { ...event, isJson: true, created: new Date(), position: there },
    commitPosition: there.commit,
  } as never;
}
