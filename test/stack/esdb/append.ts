/** The Append call: one append for each call. The client uses it for calls with credentials of their own. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { Expected } from './decide.js';
import { appendTooLarge, handlerFailed, messageTooLarge, streamDeleted, type TooLarge } from './failures.js';
import type { Proposed } from './messages.js';
import type { Differences } from './release.js';
import { bytesOf, expectedOf, proposedOf, streamNameOf } from './requests.js';
import type { Outcome, Store } from './store.js';

type Parsed = { stream: string; expected: Expected; events: Proposed[] };
type Call = ServerReadableStream<AppendReq | TooLarge, AppendResp>;

export function appendHandler(
  store: Store,
  { mostAppendBytes }: Differences,
): (call: Call, answer: sendUnaryData<AppendResp>) => void {
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
    const call = parsed(messages);
    if (!call) return answer(handlerFailed());
    const { stream, expected, events } = call;
    if (bytesOf(events) > mostAppendBytes) return answer(appendTooLarge(mostAppendBytes));
    const outcome = store.append(stream, expected, events);
    const response = new streams.AppendResp();
    switch (outcome.kind) {
      case 'done':
        return answer(null, response.setSuccess(successOf(outcome)));
      case 'wrong version':
        return answer(null, response.setWrongExpectedVersion(refusalOf(expected, outcome.actual)));
      case 'deleted':
        return answer(streamDeleted(stream));
    }
  }
}

/** Null where the request makes no sense. */
function parsed([first, ...rest]: readonly AppendReq[]): Parsed | null {
  const options = first?.getOptions();
  if (!options) return null;
  try {
    return {
      stream: streamNameOf(options),
      expected: expectedOf(options, options.getRevision()),
      events: rest.map((message) => proposedOf(message.getProposedMessage()!)),
    };
  } catch {
    return null;
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
