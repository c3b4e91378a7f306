/** Pages about the errors, as HTML or as Markdown: the `type` of a problem document leads to one of them. */
import type { Context } from 'koa';
import {
  errors,
  fail,
  fieldErrors,
  onSurfaceB,
  type ErrorCode,
  type ErrorEntry,
  type FieldCode,
} from '../../errors.js';
import { setHeaders } from '../protocol/headers.js';
import type { OpenRoute } from '../route.js';
import { CONTENT_SECURITY_POLICY, toHtml, toMarkdown, type Block } from './document.js';

export const PROBLEMS_BASE = '/problems';

const PAGES = ['text/html', 'text/markdown'];

/** The list of all codes, and a page for each. */
export function problemRoutes(): OpenRoute[] {
  return [
    {
      path: PROBLEMS_BASE,
      operation: { id: 'listProblems', summary: 'Lists all errors', answers: { 200: { media: PAGES } } },
      handle: async (ctx) => sendPage(ctx, 'Errors', errorList()),
    },
    {
      path: `${PROBLEMS_BASE}/:code`,
      operation: {
        id: 'getProblem',
        summary: 'Explains an error',
        answers: { 200: { media: PAGES } },
        errors: ['not_found'],
      },
      async handle(ctx) {
        const { code } = ctx['params'] as { code: string };
        const page = errorPage(code) ?? fail('not_found', 'There is no error with this code.');
        sendPage(ctx, code, page);
      },
    },
  ];
}

function sendPage(ctx: Context, title: string, blocks: readonly Block[]): void {
  const markdown = ctx.accepts('text/html', 'text/markdown') === 'text/markdown';
  setHeaders(ctx, {
    'Content-Type': `text/${markdown ? 'markdown' : 'html'}; charset=utf-8`,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'public, max-age=3600',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept',
  });
  ctx.body = markdown ? toMarkdown(blocks) : toHtml(title, blocks);
}

/** Every code that a client can meet. A code is a link where pages are served, and plain text elsewhere. */
export function errorList({ links = true } = {}): Block[] {
  const name = (code: string) => (links ? `[\`${code}\`](${PROBLEMS_BASE}/${code})` : `\`${code}\``);
  return [
    { heading: 'Errors', level: 1 },
    {
      paragraph:
        'Codes are stable: branch on them, not on texts. On Surface A an error is an RFC 9457 problem document with ' +
        `the code in \`code\`; its \`type\` is the path of a page about it, \`${PROBLEMS_BASE}/<code>\`, on the same ` +
        'server. On Surface B an error is `{ "error": { "code", "message", "details" } }` with a code that several ' +
        'errors share; `details.reason` then says which error it is.',
    },
    {
      columns: ['Code', 'Status', 'Surface B', '`details.reason`', 'Meaning', 'What to do'],
      rows: publicErrors().map(([code, { status, title, advice }]) => {
        const { code: shared, reason } = onSurfaceB(code);
        const cells = [String(status), `\`${shared}\``, reason === undefined ? '' : `\`${reason}\``];
        return [name(code), ...cells, title, advice];
      }),
    },
    { heading: 'Wrong fields', level: 2 },
    {
      paragraph:
        'An answer with status 400 names each wrong field in `errors` (Surface A) or `details.errors` (Surface B), ' +
        'as `{ "pointer", "code", "detail" }`. The pointer is a JSON pointer into the body, `?name` for a parameter ' +
        'of the query, or the name of a header.',
    },
    {
      columns: ['Code', 'Meaning', 'What to do'],
      rows: Object.entries(fieldErrors).map(([code, { title, advice }]) => [name(code), title, advice]),
    },
  ];
}

function publicErrors(): [ErrorCode, ErrorEntry][] {
  const all = Object.entries(errors) as [ErrorCode, ErrorEntry][];
  return all.filter(([, { internal }]) => internal !== true);
}

/** Null for a code that no client can meet. */
function errorPage(code: string): Block[] | null {
  const blocks = [...aboutError(code), ...aboutField(code)];
  if (blocks.length === 0) return null;
  return [{ heading: `\`${code}\``, level: 1 }, ...blocks, { paragraph: `[All errors](${PROBLEMS_BASE})` }];
}

function aboutError(code: string): Block[] {
  const [found] = publicErrors().filter(([each]) => each === code);
  if (found === undefined) return [];
  const [name, { status, title, advice }] = found;
  const { code: shared, reason } = onSurfaceB(name);
  const details = reason === undefined ? '' : ` with \`details.reason\` \`${reason}\``;
  return [
    { paragraph: `${title}.` },
    { paragraph: `What to do: ${advice}` },
    { paragraph: `Status ${status}. On Surface B: \`${shared}\`${details}.` },
  ];
}

function aboutField(code: string): Block[] {
  if (!Object.hasOwn(fieldErrors, code)) return [];
  const { title, advice } = fieldErrors[code as FieldCode];
  return [
    { heading: 'In a wrong field', level: 2 },
    { paragraph: `${title}.` },
    { paragraph: `What to do: ${advice}` },
    { paragraph: 'Status 400. The answer names the field in `pointer` and the rule in `detail`.' },
  ];
}
