/** The Append call: one call, one append. The client uses it when it is given credentials for the call. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerErrorResponse, ServerReadableStream } from '@grpc/grpc-js';
import type { Expected } from './decide.js';
import {
  appendTooLarge,
  handlerFailed,
  MAX_APPEND_BYTES,
  messageTooLarge,
  streamDeleted,
} from './failures.js';
import { bytesOf, expectedOf, proposedOf, streamNameOf } from './requests.js';
import type { TooLarge } from './services.js';
import type { Outcome, Store } from './store.js';

type Call = ServerReadableStream<AppendReq | TooLarge, AppendResp>;

export function appendHandler(store: Store): (call: Call, answer: sendUnaryData<AppendResp>) => void {
  return (call, answer) => {
    const messages: AppendReq[] = [];
    let tooLarge = false;
    call.on('data', (message: AppendReq | TooLarge) => {
      if (message === 'too large') tooLarge = true;
      else messages.push(message);
    });
    call.on('end', () => {
      if (tooLarge) answer(messageTooLarge());
      else answerTo(messages, answer);
    });
  };

  function answerTo(messages: readonly AppendReq[], answer: sendUnaryData<AppendResp>): void {
    try {
      const result = append(messages);
      if (result instanceof streams.AppendResp) answer(null, result);
      else answer(result);
    } catch {
      answer(handlerFailed());
    }
  }

  function append(messages: readonly AppendReq[]): AppendResp | ServerErrorResponse {
    const options = messages[0]?.getOptions();
    if (!options) throw new Error('expected options first');
    const stream = streamNameOf(options);
    const expected = expectedOf(options, options.getRevision());
    const events = messages.slice(1).map((message) => proposedOf(message.getProposedMessage()!));
    if (bytesOf(events) > MAX_APPEND_BYTES) return appendTooLarge();
    const outcome = store.append(stream, expected, events);
    switch (outcome.kind) {
      case 'done':
        return new streams.AppendResp().setSuccess(successOf(outcome));
      case 'wrong version':
        return new streams.AppendResp().setWrongExpectedVersion(refusalOf(expected, outcome.actual));
      case 'deleted':
        return streamDeleted(stream);
    }
  }
}

function successOf({ revision, position }: Extract<Outcome, { kind: 'done' }>): AppendResp.Success {
  const success = new streams.AppendResp.Success();
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === null) return success.setNoPosition(new shared.Empty());
  const at = new streams.AppendResp.Position()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  return success.setPosition(at);
}

function refusalOf(expected: Expected, actual: number): AppendResp.WrongExpectedVersion {
  const refusal = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0) refusal.setCurrentNoStream(new shared.Empty());
  else refusal.setCurrentRevision(String(actual));
  switch (expected) {
    case 'any':
      return refusal.setExpectedAny(new shared.Empty());
    case 'none':
      return refusal.setExpectedNoStream(new shared.Empty());
    case 'exists':
      return refusal.setExpectedStreamExists(new shared.Empty());
    default:
      return refusal.setExpectedRevision(String(expected));
  }
}
