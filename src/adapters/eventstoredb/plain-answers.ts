/** Asks servers for answers that are not compressed. */
import { CompressionFilter } from '@grpc/grpc-js/build/src/compression-filter.js';

const ENCODINGS = 'grpc-accept-encoding';

/**
 * From this call on, all clients of the thread say that they read plain answers alone. Servers since 25.1 compress what
 * they send to a client that can read gzip, and gRPC's library always says that it can: that makes reads up to seven
 * times slower. Neither of them has an option for it, so the header is set where the library sets it.
 */
export function askForPlainAnswers(): void {
  const { prototype } = CompressionFilter;
  if (prototype.sendMetadata === plainly) return;
  original = prototype.sendMetadata;
  prototype.sendMetadata = plainly;
}

type SendMetadata = CompressionFilter['sendMetadata'];

let original: SendMetadata;

const plainly: SendMetadata = async function (this: CompressionFilter, metadata) {
  const headers = await original.call(this, metadata);
  headers.set(ENCODINGS, 'identity');
  return headers;
};
