/**
 * The BatchAppend call: one long-lived call for all appends of a client, answered by correlation id. An append
 * comes in one message or, if it is large, in several; it is written when the final one is there.
 */
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { badRequest, refusal, success, timeout } from './batch-answers.js';
import type { Expected } from './decide.js';
import { MAX_APPEND_BYTES, messageTooLarge } from './failures.js';
import type { Proposed } from './messages.js';
import { bytesOf, expectedOf, proposedOf, streamNameOf } from './requests.js';
import type { TooLarge } from './services.js';
import type { Store } from './store.js';

type Call = ServerDuplexStream<BatchAppendReq | TooLarge, BatchAppendResp>;
type Append = { stream: string; expected: Expected; deadline: number; events: Proposed[] };

/** After which the real server gives up an append: it does so even with one that it has refused before. */
const COMMIT_TIMEOUT_MS = 2_000;

export function batchAppendHandler(store: Store): (call: Call) => void {
  return (call) => {
    const open = new Map<string, Append>();
    call.on('data', (message: BatchAppendReq | TooLarge) => {
      if (message === 'too large') call.emit('error', messageTooLarge());
      else take(call, open, message);
    });
    call.on('end', () => call.end());
  };

  function take(call: Call, open: Map<string, Append>, message: BatchAppendReq): void {
    const id = message.getCorrelationId()?.getString() ?? '';
    const answer = (response: BatchAppendResp): void => {
      const identifier = message.getOptions()?.getStreamIdentifier();
      open.delete(id);
      if (!call.cancelled)
        call.write(response.setCorrelationId(message.getCorrelationId()).setStreamIdentifier(identifier));
    };
    if (message.hasOptions()) {
      try {
        open.set(id, appendOf(message));
      } catch {
        answer(badRequest());
        return;
      }
    }
    const append = open.get(id);
    // The rest of one that has been refused.
    if (!append) return;
    try {
      append.events.push(...message.getProposedMessagesList().map(proposedOf));
    } catch {
      answer(badRequest());
      // The second answer breaks the client, which is why a test needs to see it.
      setTimeout(() => answer(timeout()), COMMIT_TIMEOUT_MS).unref();
      return;
    }
    if (message.getIsFinal()) answer(answerTo(append));
  }

  function answerTo({ stream, expected, deadline, events }: Append): BatchAppendResp {
    if (bytesOf(events) > MAX_APPEND_BYTES) return refusal(stream, expected, { kind: 'too large' });
    if (deadline < Date.now()) return timeout();
    const outcome = store.append(stream, expected, events);
    return outcome.kind === 'done' ? success(outcome) : refusal(stream, expected, outcome);
  }
}

function appendOf(message: BatchAppendReq): Append {
  const options = message.getOptions()!;
  return {
    stream: streamNameOf(options),
    expected: expectedOf(options, options.getStreamPosition()),
    deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
    events: [],
  };
}
