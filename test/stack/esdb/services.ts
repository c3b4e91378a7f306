/** The services and their handlers. The definitions come from the client, so both sides agree. */
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { sendUnaryData, Server, ServerUnaryCall } from '@grpc/grpc-js';
import { appendHandler } from './append.js';
import { batchAppendHandler } from './batch-append.js';
import { deleteHandler, tombstoneHandler } from './delete.js';
import { MAX_MESSAGE_BYTES, type TooLarge } from './failures.js';
import type { Differences } from './release.js';
import { readHandler } from './read.js';
import type { Store } from './store.js';

const { StreamsService } = services;
const { ServerFeaturesService } = featureServices;

export type ServiceOptions = { like: Differences; answerAfterMs: number };

export function addServices(server: Server, store: Store, { like, answerAfterMs }: ServiceOptions): void {
  const definition = {
    ...StreamsService,
    read: {
      ...StreamsService.read,
      responseSerialize: (message: Uint8Array) =>
        Buffer.from(message.buffer, message.byteOffset, message.length),
    },
    append: {
      ...StreamsService.append,
      requestDeserialize: unlessTooLarge(StreamsService.append.requestDeserialize),
    },
    batchAppend: {
      ...StreamsService.batchAppend,
      requestDeserialize: unlessTooLarge(StreamsService.batchAppend.requestDeserialize),
    },
  };
  server.addService(definition, {
    read: readHandler(store, like),
    append: appendHandler(store, like),
    batchAppend: batchAppendHandler(store, { like, answerAfterMs }),
    delete: deleteHandler(store),
    tombstone: tombstoneHandler(store),
  });
  server.addService(ServerFeaturesService, { getSupportedMethods });
}

function unlessTooLarge<T>(deserialize: (bytes: Buffer) => T): (bytes: Buffer) => T | TooLarge {
  return (bytes) => (bytes.length > MAX_MESSAGE_BYTES ? 'too large' : deserialize(bytes));
}

/** Without BatchAppend in the list, the client would use the slower Append for everything. */
function getSupportedMethods(
  _call: ServerUnaryCall<Empty, SupportedMethods>,
  answer: sendUnaryData<SupportedMethods>,
): void {
  const methods = Object.values(StreamsService).map(({ path }) => {
    const [, service = '', method = ''] = path.split('/');
    return new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase());
  });
  answer(
    null,
    new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion('stand-in'),
  );
}
