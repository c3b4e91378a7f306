/**
 * Holds every answer of a test against `docs/openapi.json`: its status, media type, headers, body and error code. What
 * the document does not have fails the test that got the answer.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { onSurfaceB, type ErrorCode } from '../../src/errors.js';
import { surfaceOf } from '../../src/http/problems/reply.js';

export type Answered = { status: number; headers: Headers; text: string };

/** `path`: with its query. */
export type Asked = { method: string; path: string };

type Media = { schema: object };
type Header = { required?: boolean; schema: object };
export type Response = { headers?: Record<string, { $ref: string }>; content?: Record<string, Media> };
export type Operation = {
  operationId: string;
  parameters: { name?: string; in?: string; $ref?: string }[];
  responses: Record<string, { $ref?: string } & Response>;
  'x-error-codes': ErrorCode[];
};
export type AsyncApi = {
  components: {
    /** `name`: the type of the message or event. */
    messages: Record<string, { name: string; payload: object }>;
    schemas: Record<string, { examples?: unknown[] }>;
  };
};
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { examples?: unknown[] }>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
  };
};

/** As reviews see them; tests compare them with what a server answers. */
export const openApi = documentIn('openapi.json') as OpenApi;
export const asyncApi = documentIn('asyncapi.json') as AsyncApi;

function documentIn(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8'));
}

/** @throws Error that says how the answer differs from the document. */
export function mustConform(asked: Asked, answered: Answered): void {
  const path = asked.path.replace(/\?.*$/s, '');
  const differ = (how: string): never => {
    throw new Undocumented(
      `${asked.method} ${asked.path.slice(0, 200)} differs from docs/openapi.json: ${how}\n${answered.status} ${answered.text.slice(0, 1_000)}`,
    );
  };
  const found = pathItemOf(path);
  // HEAD and OPTIONS are those of every path, and not in the document.
  const method = asked.method === 'HEAD' ? 'GET' : asked.method;
  const operation = found?.[method.toLowerCase()];
  if (operation === undefined) return mustBeRefused(asked, answered, differ);
  const at = operation.responses[answered.status];
  if (at === undefined) return differ(`${operation.operationId} has no status ${answered.status}`);
  const response = at.$ref === undefined ? at : openApi.components.responses[nameIn(at.$ref)]!;
  checkHeaders(response, answered, differ);
  if (asked.method !== 'HEAD') checkBody(response, answered, differ);
  if (answered.status >= 400 && answered.text !== '') checkCode(operation, answered, differ);
}

type Differ = (how: string) => never;

/** A request that no operation describes: the paths and methods that do not exist, and OPTIONS. */
function mustBeRefused(asked: Asked, answered: Answered, differ: Differ): void {
  const { status } = answered;
  if (status === 204 && asked.method === 'OPTIONS') return;
  if (status < 400) differ('it has no such operation');
  const surface = surfaceOf(asked.path) === 'b' ? 'Error' : 'Problem';
  const response = openApi.components.responses[`${surface}${status}`];
  if (response === undefined) return differ('it has no such error');
  checkHeaders(response, answered, differ);
  if (answered.text !== '') checkBody(response, answered, differ);
}

function checkHeaders(response: Response, { headers }: Answered, differ: Differ): void {
  for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
    const { required = false, schema } = openApi.components.headers[nameIn($ref)]!;
    const value = headers.get(name);
    if (value === null && required) differ(`the header ${name} is missing`);
    if (value !== null) valid(schema, value, (faults) => differ(`the header ${name} ${faults}`));
  }
  for (const name of documentedHeaders) {
    const documented = Object.keys(response.headers ?? {}).some((one) => one.toLowerCase() === name);
    if (!documented && headers.has(name)) differ(`it does not have the header ${name} here`);
  }
}

/** Where one of them is not documented, it must not be sent. */
const documentedHeaders = ['retry-after', 'location', 'x-read-lag', 'www-authenticate', 'ratelimit'];

function checkBody({ content }: Response, { headers, text, status }: Answered, differ: Differ): void {
  if (content === undefined) {
    if (text !== '') differ('there must be no body');
    return;
  }
  const type = headers.get('content-type')?.replace(/;.*$/, '') ?? '';
  const media = content[type] ?? content['*/*'];
  if (media === undefined)
    return differ(`the type ${type || 'of nothing'} is not one of ${Object.keys(content).join()}`);
  if (type === 'application/x-ndjson') {
    for (const line of text.split('\n').slice(0, -1)) checkEvent(JSON.parse(line), differ);
  } else if (/[/+]json$/.test(type)) {
    if (status !== 206) valid(media.schema, JSON.parse(text), (faults) => differ(`the body ${faults}`));
  }
}

/** Checks an event of a stream against `docs/asyncapi.json`, with its data. */
export function checkEvent(event: unknown, differ: Differ = fault): void {
  const { type } = event as { type: string };
  checkMessage(`${type}Event`, event, differ);
}

/** Checks the body of a message to a webhook against `docs/asyncapi.json`. */
export function checkWebhookBody(body: unknown): void {
  const { type } = body as { type: string };
  const found = Object.entries(asyncApi.components.messages).find(([, { name }]) => name === type);
  checkMessage(found?.[0] ?? type, body, fault);
}

function checkMessage(component: string, value: unknown, differ: Differ): void {
  const message = asyncApi.components.messages[component];
  if (message === undefined) return differ(`docs/asyncapi.json has no ${component}`);
  valid(message.payload, value, (faults) => differ(`${component} ${faults}`), 'asyncapi.json');
}

/** An answer, event or message that differs from its document. */
export class Undocumented extends Error {}

function fault(how: string): never {
  throw new Undocumented(how);
}

function checkCode(operation: Operation, { text }: Answered, differ: Differ): void {
  const body = JSON.parse(text) as { code?: string; error?: { code: string; details: { reason?: string } } };
  const documented = operation['x-error-codes'].some((code) => {
    if (body.error === undefined) return code === body.code;
    const { code: shared, reason } = onSurfaceB(code);
    return shared === body.error.code && reason === body.error.details.reason;
  });
  if (!documented) differ(`${operation.operationId} does not have this error code`);
}

const paths = Object.entries(openApi.paths)
  .map(([path, item]) => ({ pattern: patternOf(path), item, parameters: path.split('{').length }))
  // `/events/schemas` before `/events/{name}`.
  .sort((a, b) => a.parameters - b.parameters);

/** Every path works with and without a slash at its end. */
function patternOf(path: string): RegExp {
  const parts = path.replace(/\/$/, '').split(/\{\w+\}/);
  return new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[^/]+')}/?$`);
}

function pathItemOf(path: string): Record<string, Operation> | undefined {
  return paths.find(({ pattern }) => pattern.test(path))?.item;
}

function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
// Exactly as the contract writes instants, not only as RFC 3339 allows.
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
// Each once: to take its components into every schema would stop the server of the test for moments.
ajv.addSchema({ components: openApi.components }, 'openapi.json');
ajv.addSchema({ components: asyncApi.components }, 'asyncapi.json');
const compiled = new Map<string, ValidateFunction>();

/** `document`: the one whose components the schema refers to. */
function valid(
  schema: object,
  value: unknown,
  differ: (faults: string) => void,
  document = 'openapi.json',
): void {
  const text = JSON.stringify(schema).replaceAll('"#/components/', `"${document}#/components/`);
  let validate = compiled.get(text);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
  }
  if (!validate(value)) differ(ajv.errorsText(validate.errors, { dataVar: 'value' }));
}

/** The faults of a value as a component. */
export function faultsOf(component: string, value: unknown): string[] {
  const faults: string[] = [];
  valid({ $ref: `#/components/schemas/${component}` }, value, (found) => faults.push(found));
  return faults;
}
