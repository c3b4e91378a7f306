/** Reads the form of a page, no further than a form may go. */
import type { Context } from 'koa';
import type { Admission, Holder } from '../admission/admission.js';
import { fail } from '../errors.js';
import { untilGone } from '../http/backpressure/until-gone.js';
import { letBodyCome } from '../http/protocol/expect-continue.js';
import { oneClient } from '../people/client.js';

const MOST_FORM_BYTES = 64 * 1_024;

/** `person`: null for somebody who has not signed in, whose forms count by their address. */
export type FormSender = { person: string | null; address: string };

/**
 * Its memory is reserved before its first byte is read, and until its last one has come: anybody may send forms, and may
 * take a minute for each.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `malformed_request`, `overloaded`
 */
export async function readForm(
  ctx: Context,
  admission: Admission,
  { person, address }: FormSender,
): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    fail('unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.');
  }
  const announced = Number(ctx.req.headers['content-length'] ?? MOST_FORM_BYTES);
  if (announced > MOST_FORM_BYTES) failTooLarge();
  const gone: Pick<Holder, 'untilGone'> = { untilGone: (callback) => untilGone(ctx.res, callback) };
  const memory =
    person === null
      ? admission.reserve('forms', { team: oneClient(address), ...gone })
      : admission.reserve('bodies', { team: person, ...gone });
  try {
    await memory.take(announced);
    letBodyCome(ctx.res);
    return new URLSearchParams((await bytesOf(ctx)).toString('utf8'));
  } finally {
    memory.release();
  }
}

async function bytesOf(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    ctx.req.once('end', resolve).once('error', reject);
    ctx.req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_FORM_BYTES) chunks.push(chunk);
      else resolve();
    });
  }).catch((cause: unknown) =>
    fail('malformed_request', 'The form ended before it was complete.', { cause }),
  );
  if (bytes > MOST_FORM_BYTES) failTooLarge();
  return Buffer.concat(chunks);
}

function failTooLarge(): never {
  fail('payload_too_large', `A form has at most ${MOST_FORM_BYTES} bytes.`);
}
