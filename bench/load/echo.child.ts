/** The reference: a process with bare koa, router and koa-body, which answers each request with its body. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import Router from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { answerRequests } from '../processes/child.js';

const router = new Router();
router.post('/v1/test/result/', (ctx) => {
  ctx.body = ctx.request.body;
});
const app = new Koa();
app.use(koaBody() as never);
app.use(router.routes() as never);

const answer = app.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

answerRequests(async () => url);
