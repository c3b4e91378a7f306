/** The Delete call (soft: the stream can be recreated) and the Tombstone call (for good). */
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerErrorResponse, ServerUnaryCall } from '@grpc/grpc-js';
import type { Expected } from './decide.js';
import { handlerFailed, streamDeleted, wrongVersionOfDelete } from './failures.js';
import { expectedOf, streamNameOf } from './requests.js';
import type { Outcome, Store } from './store.js';

export function deleteHandler(store: Store) {
  return ({ request }: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>): void => {
    const { failure, position } = attempt(request.getOptions(), store.softDelete);
    if (failure) return answer(failure);
    const at = new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position);
    answer(null, new streams.DeleteResp().setPosition(at));
  };
}

export function tombstoneHandler(store: Store) {
  return (
    { request }: ServerUnaryCall<TombstoneReq, TombstoneResp>,
    answer: sendUnaryData<TombstoneResp>,
  ): void => {
    const { failure, position } = attempt(request.getOptions(), store.tombstone);
    if (failure) return answer(failure);
    const at = new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position);
    answer(null, new streams.TombstoneResp().setPosition(at));
  };
}

type Options = DeleteReq.Options | TombstoneReq.Options | undefined;
type Attempt = { failure: ServerErrorResponse | null; position: string };

function attempt(options: Options, act: (stream: string, expected: Expected) => Outcome): Attempt {
  const parsed = parsedOf(options);
  if (!parsed) return { failure: handlerFailed(), position: '' };
  const { stream, expected } = parsed;
  const outcome = act(stream, expected);
  switch (outcome.kind) {
    case 'done':
      return { failure: null, position: String(outcome.position) };
    case 'wrong version':
      return { failure: wrongVersionOfDelete(stream, versionOf(expected), outcome.actual), position: '' };
    case 'deleted':
      return { failure: streamDeleted(stream), position: '' };
  }
}

/** Null where the request makes no sense. */
function parsedOf(options: Options): { stream: string; expected: Expected } | null {
  if (!options) return null;
  try {
    return { stream: streamNameOf(options), expected: expectedOf(options, options.getRevision()) };
  } catch {
    return null;
  }
}

/** The revisions as numbers, as this call names them. */
function versionOf(expected: Expected): number {
  switch (expected) {
    case 'none':
      return -1;
    case 'any':
      return -2;
    case 'exists':
      return -4;
    default:
      return expected;
  }
}
