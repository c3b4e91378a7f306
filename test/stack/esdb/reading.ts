/** The parts that pages and subscriptions share. */
import { randomUUID } from 'node:crypto';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerErrorResponse } from '@grpc/grpc-js';
import type { Differences } from './release.js';
import type { ReadRequest } from './requests.js';
import { sendResponse, type ReadCall } from './sending.js';
import type { Store } from './store.js';

export type Reading = { call: ReadCall; store: Store; request: ReadRequest; like: Differences };

export function fail(call: ReadCall, failure: ServerErrorResponse): void {
  call.emit('error', failure);
}

export async function confirm(call: ReadCall): Promise<void> {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
  await sendResponse(call, (response) => response.setConfirmation(confirmation));
}

export async function tellCaughtUp(call: ReadCall): Promise<void> {
  await sendResponse(call, (response) => response.setCaughtUp(new streams.ReadResp.CaughtUp()));
}

/** The index of the event at a position; null where no event has it. */
export function startInAll({ index, end }: Store, from: ReadRequest['from']): number | null {
  if (from === 'start' || from === 0) return 0;
  if (from === 'end' || from >= end()) return index.entries.length;
  const at = index.at(from);
  return at === -1 ? null : at;
}
