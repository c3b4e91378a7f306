import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { openFetch } from '../../src/cli/fetch.js';
import { testServer, type Team } from '../kit/server.js';
import { testledger } from '../kit/command.js';

/** A proxy on this machine for plain HTTP, and for tunnels. */
function testProxy() {
  /** What it was asked for: `METHOD target`. */
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { method, headers } = request;
    const onward = httpRequest(request.url!, { method: method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    const [host, port] = request.url!.split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => void asked.splice(0));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    asked,
    get address() {
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}

describe('the requests of the command line', () => {
  const server = testServer();
  const proxy = testProxy();
  let team: Team;
  before(async () => void (team = await server.newTeam()));

  const list = (env: Record<string, string>) =>
    testledger(['projects', 'list', '--json'], {
      TESTLEDGER_URL: server.url,
      TESTLEDGER_API_KEY: team.owner.key!,
      ...env,
    });

  for (const [name, value] of [
    ['HTTP_PROXY', 'http://'],
    ['http_proxy', ''],
  ] as const) {
    it(`go through the proxy of ${name}${value === '' ? ', also without its scheme' : ''}`, async () => {
      const ran = await list({ [name]: `${value}${proxy.address}` });
      expect(ran.code, ran.stderr).to.equal(0);
      expect(proxy.asked).to.have.length(1);
      expect(proxy.asked[0]).to.match(/^GET http:\/\/.*\/v1\/projects\?/);
    });
  }

  it('pass by the proxy to a host of NO_PROXY', async () => {
    const { hostname } = new URL(server.url);
    const ran = await list({ HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: `other.example, ${hostname}` });
    expect(ran.code, ran.stderr).to.equal(0);
    expect(proxy.asked).to.deep.equal([]);
  });

  it('lead through a tunnel of the proxy of HTTPS_PROXY, whose end alone has the certificate', async () => {
    const fetch = await openFetch({ HTTPS_PROXY: proxy.address });
    // Nothing there speaks TLS: the tunnel is what counts.
    await fetch(server.url.replace('http:', 'https:')).catch(() => undefined);
    expect(proxy.asked).to.deep.equal([`CONNECT ${new URL(server.url).host}`]);
  });

  it('are refused with a proxy that is no address, without showing it', async () => {
    const ran = await list({ HTTPS_PROXY: 'socks5://user:secret@proxy' });
    expect(ran.code).to.equal(2);
    expect(ran.stdout + ran.stderr)
      .to.include('HTTPS_PROXY is not the URL of a proxy')
      .and.not.include('secret');
  });
});
