/** Why an attempt failed, in words for whoever looks after the endpoint: no stack, nothing of ours. */
import { isIPv4 } from 'node:net';
import { AddressRefused } from '../endpoint/egress.js';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before the answer was whole',
  EPIPE: 'connection closed before the request was whole',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'address not available',
  EAI_AGAIN: 'name could not be looked up',
  EPROTO: 'no TLS connection could be made',
};

/** No descriptor, no buffer, no port is left. */
const ours = ['EMFILE', 'ENFILE', 'ENOBUFS'];

/** Whether nothing was sent for want of something of this machine: it says nothing about the endpoint. */
export function isOurs(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOurs);
  const { code = '', address = '' } = (error ?? {}) as NodeJS.ErrnoException & { address?: string };
  // Of IPv6 it is what a machine says that has none.
  return ours.includes(code) || (code === 'EADDRNOTAVAIL' && isIPv4(address));
}

/** Of a connection that could not be made, or did not last. */
export function failureOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  // Of a name with several addresses each was tried.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  if (!(error instanceof Error)) return 'connection failed';
  const { code = '', hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'ENOTFOUND') return `name not found: ${hostname ?? error.message}`;
  const known = words[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the answer is no HTTP';
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) return `certificate not accepted: ${error.message}`;
  if (code.startsWith('ERR_SSL')) return 'no TLS connection could be made';
  return `connection failed${code === '' ? '' : `: ${code}`}`;
}

/** Of an answer; null where it is a success. */
export function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  return `HTTP ${status}`;
}
