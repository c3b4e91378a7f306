/** `fetch` for the requests of the command line. That of Node 20 passes over the proxies of the environment. */
import { failWith } from './errors.js';

let opened: Promise<typeof fetch> | null = null;

/** The same `fetch` for all requests of this process, so that they share connections. @throws as `openFetch` */
export function fetchOfProcess(): Promise<typeof fetch> {
  return (opened ??= openFetch(process.env));
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns a `fetch` that goes through the proxies of `HTTPS_PROXY` and `HTTP_PROXY`, except to the hosts of `NO_PROXY`, as
 * other tools of a build read them: also in small letters, and a proxy without `http://`.
 * @throws CliError `usage` for a proxy that is no address
 */
export async function openFetch(env: Env): Promise<typeof fetch> {
  const [httpProxy, httpsProxy] = [proxyIn(env, 'HTTP_PROXY'), proxyIn(env, 'HTTPS_PROXY')];
  if (httpProxy === '' && httpsProxy === '') return fetch;
  const { EnvHttpProxyAgent, fetch: fetchBy } = await import('undici');
  const noProxy = valueOf(env, 'NO_PROXY');
  // Many proxies let a tunnel lead to port 443 only, so plain HTTP takes none.
  const dispatcher = new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: false });
  return ((input: string, init: object) =>
    fetchBy(input, { ...init, dispatcher })) as unknown as typeof fetch;
}

function proxyIn(env: Env, name: string): string {
  const value = valueOf(env, name);
  if (value === '') return '';
  const url = value.includes('://') ? value : `http://${value}`;
  // The value may hold a password, so the error does not show it.
  if (!/^https?:/.test(url) || !URL.canParse(url)) failWith('usage', `${name} is not the URL of a proxy`);
  return url;
}

function valueOf(env: Env, name: string): string {
  return (env[name.toLowerCase()] || env[name] || '').trim();
}
