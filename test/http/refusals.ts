/** The form of a refusal on each surface (docs/api.md, sections 2 and 3). */
import { expect } from 'chai';
import type { Answer } from '../kit/client.js';

/** Expects an RFC 9457 problem document, as on Surface A. */
export function expectProblem({ status, headers, body, text }: Answer, wanted: number, code: string): void {
  expect(status, text).to.equal(wanted);
  expect(body.code, text).to.equal(code);
  expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
}

/** Expects a 400 of Surface A that names exactly these fields, each as `pointer code`. */
export function expectFaults(answer: Answer, ...faults: string[]): void {
  expectProblem(answer, 400, 'validation_failed');
  const named = (answer.body.errors as { pointer: string; code: string }[]).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
  expect(named, answer.text).to.have.members(faults);
}

/** Expects `{ error }`, as on Surface B. */
export function expectError(
  { status, headers, body, text }: Answer,
  wanted: number,
  code: string,
  reason?: string,
): void {
  expect(status, text).to.equal(wanted);
  expect(body.error.code, text).to.equal(code);
  expect(headers.get('content-type')).to.match(/^application\/json/);
  if (reason !== undefined) expect(body.error.details.reason, text).to.equal(reason);
}

/** Expects a refusal in the form of the surface of the path. */
export function expectRefused(answer: Answer, path: string, wanted: number, code?: string): void {
  const { status, body, text } = answer;
  expect(status, `${path}: ${text}`).to.equal(wanted);
  const onA = path.startsWith('/v1/test/');
  expect(onA ? body.status : body.error?.details?.request_id, text).to.equal(
    onA ? wanted : answer.headers.get('x-request-id'),
  );
  if (code !== undefined) expect(onA ? body.code : body.error.code, text).to.equal(code);
}
