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

/** The colours and type of the dashboard on the parts of the viewer. There is one server, and nothing to choose. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#f7f8fa, #111417); }
html.dark-mode, html.dark-mode body { background: #111417; }
html.dark-mode .swagger-ui { background: none; }
body { margin: 0; }
.swagger-ui, .swagger-ui :is(p, h1, h2, h3, h4, h5, a, button, label, input, select, table, th, td, .title, .btn,
  .opblock-tag, .opblock-summary-description, .opblock-description-wrapper, .tab li, .response-col_status) {
  font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
}
.swagger-ui .wrapper { max-width: 76rem; }
.swagger-ui .info { margin: 1.5rem 0 1rem; }
.swagger-ui .info .title { font-size: 1.45rem; }
.swagger-ui .info .title small { top: -2px; background: light-dark(#555f6d, #3a434e); }
.swagger-ui .info .title small.version-stamp { background: #1a5fd0 !important; }
.swagger-ui .info a, .swagger-ui a.nostyle:hover { color: light-dark(#0b57c2, #79b0ff); }
html[lang] .swagger-ui .scheme-container, html.dark-mode .swagger-ui .scheme-container {
  margin: 0; padding: 0 0 1rem; background: none; border: 0; box-shadow: none;
}
.swagger-ui .scheme-container .schemes > .schemes-server-container { display: none; }
.swagger-ui .btn.authorize { color: light-dark(#1a5fd0, #79b0ff) !important; border-color: currentcolor !important; }
.swagger-ui .btn.authorize svg { fill: currentcolor !important; }
.swagger-ui .opblock-tag { font-size: 1.05rem; }
.swagger-ui .opblock-tag small { color: light-dark(#555f6d, #9aa5b3); }
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>testledger: API</title>
<link rel="stylesheet" href="/docs/viewer.css">
<style>${STYLE}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. The document itself is <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Dark where the system is. `validatorUrl`: by default the viewer would send the document to another server. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  validatorUrl: null,
});
`;
