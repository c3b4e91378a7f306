/** The errors that each operation can answer. Most follow from its method, its path and its role. */
import { errors, type ErrorCode } from '../../errors.js';
import type { OpenRoute, Route } from '../route.js';

/** Of a request that no route has seen, or that the server failed to handle. */
const ofEveryRequest: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal',
  'not_implemented',
  'http_version_not_supported',
];

const ofEveryKey: readonly ErrorCode[] = [
  'validation_failed',
  'unauthorized',
  'key_expired',
  'rate_limited',
  'log_unavailable',
  'unknown_event',
  'state_unavailable',
  'views_unavailable',
  'overloaded',
  'shutting_down',
];

/** Also of a DELETE, which may have a body. */
const ofEveryBody: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

export function errorsOf(route: Route): ErrorCode[] {
  const { method, path, role, reporter = false, operator = false, secret = false, operation } = route;
  const reads = method === 'GET';
  return inOrder([
    ...ofEveryRequest,
    ...ofEveryKey,
    ...(role !== 'viewer' || !reporter || operator ? (['forbidden'] as const) : []),
    ...(path.includes('/:') || route.withQuery !== undefined ? (['not_found'] as const) : []),
    ...(route.asOf !== undefined ? (['not_yet', 'as_of_too_large'] as const) : []),
    ...(reads ? (['views_behind'] as const) : ofEveryBody),
    ...(method === 'POST' ? (['in_flight', 'idempotency_mismatch'] as const) : []),
    ...(secret ? (['already_answered'] as const) : []),
    ...(operation.errors ?? []),
  ]);
}

export function errorsOfOpen({ operation }: OpenRoute): ErrorCode[] {
  return inOrder([...ofEveryRequest, ...(operation.errors ?? [])]);
}

/** By status, each once. */
function inOrder(codes: readonly ErrorCode[]): ErrorCode[] {
  return [...new Set(codes)].sort((a, b) => errors[a].status - errors[b].status || (a < b ? -1 : 1));
}
