/** Answers of the batch path. A refusal is a `google.rpc.Status` whose details the client reads. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import anys from 'google-protobuf/google/protobuf/any_pb.js';
import emptys from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Expected } from './decide.js';
import type { Outcome } from './store.js';

type Refused = Exclude<Outcome, { kind: 'done' }> | { kind: 'too large'; most: number };

export function success({ revision, position }: Extract<Outcome, { kind: 'done' }>): BatchAppendResp {
  const done = new streams.BatchAppendResp.Success();
  if (revision < 0) done.setNoStream(new emptys.Empty());
  else done.setCurrentRevision(String(revision));
  if (position === null) {
    done.setNoPosition(new emptys.Empty());
  } else {
    const at = String(position);
    done.setPosition(new shared.AllStreamPosition().setCommitPosition(at).setPreparePosition(at));
  }
  return new streams.BatchAppendResp().setSuccess(done);
}

export function refusal(stream: string, expected: Expected, refused: Refused): BatchAppendResp {
  switch (refused.kind) {
    case 'wrong version':
      return error(
        status.FAILED_PRECONDITION,
        'WrongExpectedVersion',
        wrongVersion(expected, refused.actual),
      );
    case 'deleted': {
      const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
      return error(
        status.FAILED_PRECONDITION,
        'StreamDeleted',
        new shared.StreamDeleted().setStreamIdentifier(identifier),
      );
    }
    case 'too large': {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(refused.most);
      return error(status.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', details);
    }
  }
}

export function badRequest(): BatchAppendResp {
  return error(status.INVALID_ARGUMENT, 'BadRequest', new shared.BadRequest());
}

export function timeout(): BatchAppendResp {
  return error(status.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());
}

/** The messages have the names of the kinds of refusal. */
function error(code: number, name: string, details: { serializeBinary(): Uint8Array }): BatchAppendResp {
  const packed = new anys.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${name}`);
  const answer = new statuses.Status().setCode(code).setMessage(name).setDetails(packed);
  return new streams.BatchAppendResp().setError(answer);
}

function wrongVersion(expected: Expected, actual: number): InstanceType<typeof shared.WrongExpectedVersion> {
  const details = new shared.WrongExpectedVersion();
  if (actual < 0) details.setCurrentNoStream(new emptys.Empty());
  else details.setCurrentStreamRevision(String(actual));
  switch (expected) {
    case 'any':
      return details.setExpectedAny(new emptys.Empty());
    case 'none':
      return details.setExpectedNoStream(new emptys.Empty());
    case 'exists':
      return details.setExpectedStreamExists(new emptys.Empty());
    default:
      return details.setExpectedStreamPosition(String(expected));
  }
}
