/**
 * Why an attempt failed, in words for the owner of the endpoint: without a stack, and without internals of this server.
 */
import { isIPv4 } from 'node:net';
import { AddressRefused } from '../endpoint/egress.js';
import { LookUpNotMade } from '../endpoint/resolver.js';

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

/** This machine has no descriptor, no buffer or no port left. */
const ours = ['EMFILE', 'ENFILE', 'ENOBUFS'];

/** Whether a fault of this machine prevented the attempt: then it says nothing about the endpoint. */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOwnFault);
  if (error instanceof LookUpNotMade) return true;
  const { code = '', address = '' } = (error ?? {}) as NodeJS.ErrnoException & { address?: string };
  // For an IPv6 address, a machine without IPv6 gives the same code.
  return ours.includes(code) || (code === 'EADDRNOTAVAIL' && isIPv4(address));
}

/** The failure of a connection that could not be made, or that broke. */
export function failureOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  // All addresses of the name were tried.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  if (!(error instanceof Error)) return 'connection failed';
  const { code = '', hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'ENOTFOUND') return `name not found: ${hostname ?? error.message}`;
  const known = words[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) return `certificate not accepted: ${error.message}`;
  if (code.startsWith('ERR_SSL')) return 'no TLS connection could be made';
  return `connection failed${code === '' ? '' : `: ${code}`}`;
}

/** The failure by the status of an answer; null for a success. */
export function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  return `HTTP ${status}`;
}
