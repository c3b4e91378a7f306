/** Writes to a reader at most as fast as it reads. */
import type { ServerWritableStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Store } from './store.js';

/** Messages are sent as bytes: an event is stored as the bytes that a reader gets. */
export type ReadCall = ServerWritableStream<ReadReq, Uint8Array>;

/** Waits until the reader can take more or has left. Returns whether it had to wait. */
export async function send(call: ReadCall, message: Uint8Array): Promise<boolean> {
  if (call.cancelled || call.write(message)) return false;
  await eventOf(call, 'drain');
  return true;
}

export function sendResponse(call: ReadCall, fill: (response: ReadResp) => ReadResp): Promise<boolean> {
  return send(call, fill(new streams.ReadResp()).serializeBinary());
}

/** Waits until the log has grown or the reader has left. */
export async function growth(call: ReadCall, { changes }: Store): Promise<void> {
  if (call.cancelled) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      changes.off('grown', done);
      call.off('cancelled', done);
      resolve();
    };
    changes.on('grown', done);
    call.on('cancelled', done);
  });
}

function eventOf(call: ReadCall, name: string): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off(name, done);
      call.off('cancelled', done);
      resolve();
    };
    call.on(name, done);
    call.on('cancelled', done);
  });
}
