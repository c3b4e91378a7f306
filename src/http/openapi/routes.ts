/** The documents of the API, which a server makes of its own routes, and a page to read them. */
import { readFile } from 'node:fs/promises';
import { packageFolder } from '../../folders.js';
import type { OpenRoute } from '../route.js';
import { asyncApiDocument } from './async-document.js';
import { openApiDocument, type Mounted } from './document.js';
import { keptFile } from './kept-file.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** `mounted`: every route of the server, these among them. Called when the document is first asked for. */
export function documentRoutes(mounted: () => Mounted, version: string): OpenRoute[] {
  const document = { 200: { media: ['application/json'], json: true } } as const;
  return [
    {
      path: '/openapi.json',
      operation: { id: 'getOpenApi', summary: 'Shows this document', answers: document },
      handle: keptFile(JSON_TYPE, () => JSON.stringify(openApiDocument(mounted(), version))),
    },
    {
      path: '/asyncapi.json',
      operation: {
        id: 'getAsyncApi',
        summary: 'Shows the AsyncAPI document of webhooks and the replay',
        answers: document,
      },
      handle: keptFile(JSON_TYPE, () => JSON.stringify(asyncApiDocument(version))),
    },
    {
      path: '/docs',
      operation: {
        id: 'readDocument',
        summary: 'Shows this document as a page',
        answers: { 200: { media: ['text/html'] } },
      },
      handle: keptFile('text/html; charset=utf-8', () => PAGE, {
        headers: {
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          'Referrer-Policy': 'no-referrer',
        },
      }),
    },
    viewerFile('viewer.js', JAVASCRIPT, 'getViewer', () => built('swagger-ui-bundle.js')),
    viewerFile('viewer.css', 'text/css; charset=utf-8', 'getViewerStyle', () => built('swagger-ui.css')),
    viewerFile('start.js', JAVASCRIPT, 'getViewerStart', () => START),
  ];
}

function viewerFile(
  name: string,
  type: string,
  id: string,
  read: () => Promise<string | Buffer> | string,
): OpenRoute {
  const media = [type.replace(/;.*/, '')];
  return {
    path: `/docs/${name}`,
    operation: { id, summary: `Shows \`${name}\` of the page`, answers: { 200: { media } } },
    handle: keptFile(type, read),
  };
}

/** The build copies the viewer here, so that a server that runs needs no package of it. */
function built(name: string): Promise<Buffer> {
  return readFile(new URL(`dist/viewer/${name}`, packageFolder));
}

/** The page may load and call nothing but this server. The viewer sets styles, and has pictures, of its own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>testledger: API</title>
<link rel="stylesheet" href="/docs/viewer.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. The document itself is <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** `validatorUrl`: by default the viewer would send the document to another server. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  validatorUrl: null,
});
`;
