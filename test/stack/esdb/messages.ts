/** An event as a reader gets it: the bytes of a `ReadResp`. They are stored in this form, so a read only copies them. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export type Proposed = {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
};

export type Recorded = Proposed & { stream: string; revision: string; position: number };

/** .NET counts time in units of 100 ns. */
const TICKS_PER_MS = 10_000n;

export function eventMessage(recorded: Recorded): Uint8Array {
  const position = String(recorded.position);
  const id = new shared.UUID().setString(recorded.id);
  const stream = new shared.StreamIdentifier().setStreamName(Buffer.from(recorded.stream));
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(id)
    .setStreamIdentifier(stream)
    .setStreamRevision(recorded.revision)
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(recorded.data)
    .setCustomMetadata(recorded.metadata);
  event
    .getMetadataMap()
    .set('type', recorded.type)
    .set('content-type', recorded.contentType)
    .set('created', String(BigInt(Date.now()) * TICKS_PER_MS));
  const read = new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(position);
  return new streams.ReadResp().setEvent(read).serializeBinary();
}

export function dataOf(message: Uint8Array): string {
  const event = streams.ReadResp.deserializeBinary(message).getEvent()?.getEvent();
  return Buffer.from(event?.getData_asU8() ?? []).toString('utf8');
}
