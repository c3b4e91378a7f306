/** A real identity provider on loopback. Its people sign in by their name alone. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export type Claims = { email?: string; email_verified?: boolean; name?: string; groups?: string[] };

export type TestProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the provider says of each person, by their id. */
  people: Map<string, Claims>;
  /** Does what a browser does with the provider's pages: signs in and consents. Returns the URL of the way back. */
  signIn(url: string, person: string): Promise<URL>;
  close(): Promise<void>;
};

export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const people = new Map<string, Claims>();
  const [clientId, clientSecret] = ['testledger', 'a secret of the client'];
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'groups'],
    },
    scopes: ['openid', 'email', 'profile'],
    cookies: { keys: ['a key for cookies'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));

  async function signIn(url: string, person: string): Promise<URL> {
    const cookies = new Map<string, string>();
    const visit = async (to: string, form?: Record<string, string>): Promise<Response> => {
      const response = await fetch(to, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      return response;
    };
    let next = url;
    for (let step = 0; step < 12; step += 1) {
      if (next.startsWith(redirectUri)) return new URL(next);
      const page = await visit(next);
      const location = page.headers.get('location');
      if (location !== null) {
        next = new URL(location, next).href;
        continue;
      }
      const html = await page.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? fault(`no form: ${html.slice(0, 300)}`);
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? fault('no action');
      const done = await visit(new URL(action, next).href, { prompt, login: person, password: 'any' });
      next = new URL(done.headers.get('location') ?? fault('no way on'), next).href;
    }
    return fault('the provider does not come to an end');
  }

  return {
    issuer,
    clientId,
    clientSecret,
    people,
    signIn,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function fault(text: string): never {
  throw new Error(text);
}
