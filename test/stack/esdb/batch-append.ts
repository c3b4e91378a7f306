/**
 * The BatchAppend call: one long-lived call for all appends of a client, answered by correlation id. An append
 * comes in one message or, where it is large, in several. It is written when the final one has come.
 */
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { badRequest, refusal, success, timeout } from './batch-answers.js';
import type { Expected } from './decide.js';
import { messageTooLarge, type TooLarge } from './failures.js';
import type { Proposed } from './messages.js';
import type { Differences } from './release.js';
import { bytesOf, expectedOf, nameOf, proposedOf } from './requests.js';
import type { Store } from './store.js';

type Call = ServerDuplexStream<BatchAppendReq | TooLarge, BatchAppendResp>;
type Append = {
  identifier: StreamIdentifier | undefined;
  stream: string;
  expected: Expected;
  deadline: number;
  events: Proposed[];
};
type Answer = { response: BatchAppendResp; afterMs: number };

/** After this time the real server gives up an append, even one that it has refused before. */
const COMMIT_TIMEOUT_MS = 2_000;

/** `answerAfterMs`: the time from the write to its answer, in which a test can do something. */
export function batchAppendHandler(
  store: Store,
  { like: { mostAppendBytes }, answerAfterMs }: { like: Differences; answerAfterMs: number },
): (call: Call) => void {
  /** The positions of appends that are stored and not answered. */
  const unanswered = new Set<number>();

  return (call) => {
    const open = new Map<string, Append>();
    call.on('data', (message: BatchAppendReq | TooLarge) => {
      // A message that came after the one that ended the call.
      if (call.writableEnded) return;
      if (message === 'too large') call.emit('error', messageTooLarge());
      else take(call, open, message);
    });
    call.on('end', () => call.end());
  };

  function take(call: Call, open: Map<string, Append>, message: BatchAppendReq): void {
    const correlation = message.getCorrelationId();
    const id = correlation?.getString() ?? '';
    const append = open.get(id) ?? begun(message);
    // The rest of an append that was refused.
    if (!append) return;
    const answer = ({ response, afterMs }: Answer): void => {
      open.delete(id);
      response.setCorrelationId(correlation).setStreamIdentifier(append.identifier);
      if (afterMs === 0) call.write(response);
      else setTimeout(() => call.cancelled || call.write(response), afterMs).unref();
    };
    open.set(id, append);
    if (append.stream === '') {
      answer(atOnce(badRequest()));
      return;
    }
    try {
      append.events = append.events.concat(message.getProposedMessagesList().map(proposedOf));
    } catch {
      answer(atOnce(badRequest()));
      // The real server answers twice, and the second answer breaks the client: tests must be able to show that.
      answer({ response: timeout(), afterMs: COMMIT_TIMEOUT_MS });
      return;
    }
    if (message.getIsFinal()) answer(answerTo(append));
  }

  function answerTo({ stream, expected, deadline, events }: Append): Answer {
    if (bytesOf(events) > mostAppendBytes)
      return atOnce(refusal(stream, expected, { kind: 'too large', most: mostAppendBytes }));
    if (deadline < Date.now()) return atOnce(timeout());
    const outcome = store.append(stream, expected, events);
    if (outcome.kind !== 'done') return atOnce(refusal(stream, expected, outcome));
    const { position } = outcome;
    if (answerAfterMs === 0 || position === null) return atOnce(success(outcome));
    // A repeat while the first is in flight: the real server lets it wait, and gives it up after a time.
    if (unanswered.has(position)) return { response: timeout(), afterMs: COMMIT_TIMEOUT_MS };
    unanswered.add(position);
    setTimeout(() => unanswered.delete(position), answerAfterMs).unref();
    return { response: success(outcome), afterMs: answerAfterMs };
  }
}

function atOnce(response: BatchAppendResp): Answer {
  return { response, afterMs: 0 };
}

/** Undefined where the message is not the first of an append. */
function begun(message: BatchAppendReq): Append | undefined {
  const options = message.getOptions();
  return (
    options && {
      identifier: options.getStreamIdentifier(),
      stream: nameOf(options),
      expected: expectedOf(options, options.getStreamPosition()),
      deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
      events: [],
    }
  );
}
