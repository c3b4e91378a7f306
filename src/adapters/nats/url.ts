/** The parts of `nats://[user:password@]host[:port][,host…][?stream=name&replicas=3]`. */
import type { ConnectionOptions } from 'nats';

export type NatsUrl = {
  connection: Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>;
  /** The servers, without credentials. */
  shown: string;
  stream: string;
  replicas: number;
};

/**
 * A user without a password is a token, as in NATS. @throws Error that says what is wrong, without the credentials.
 */
export function parseNatsUrl(text: string): NatsUrl {
  const [places = '', query = ''] = text.split('?', 2);
  const found = places.split(',').map((each) => {
    // The client takes no credentials from a URL. Only one `@` is allowed: another one must be percent-encoded.
    const [, scheme, credentials, server] =
      /^(?:(nats|tls):\/\/)?(?:([^@/]*)@)?([^@/]+)\/?$/.exec(each.trim()) ?? [];
    return { scheme, credentials, server };
  });
  const servers = found.flatMap(({ server }) => server ?? []);
  if (found[0]?.scheme === undefined || servers.length !== found.length) {
    throw new Error(
      'the URL of the bus must be nats://<host>[:<port>][,<host>…][?stream=<name>], credentials percent-encoded',
    );
  }
  const credentials = found.find((each) => each.credentials !== undefined)?.credentials;
  return {
    connection: {
      servers,
      ...(credentials !== undefined && credentialsOf(credentials)),
      ...(found[0].scheme === 'tls' && { tls: {} }),
    },
    shown: servers.join(', '),
    ...parametersOf(new URLSearchParams(query)),
  };
}

function credentialsOf(text: string): { user: string; pass: string } | { token: string } {
  const [user = '', ...rest] = text.split(':');
  if (rest.length === 0) return { token: decoded(user) };
  return { user: decoded(user), pass: decoded(rest.join(':')) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('the URL of the bus must have percent-encoded credentials');
  }
}

function parametersOf(parameters: URLSearchParams): Pick<NatsUrl, 'stream' | 'replicas'> {
  const strange = [...parameters.keys()].find((name) => name !== 'stream' && name !== 'replicas');
  if (strange !== undefined) throw new Error(`the URL of the bus has an unknown parameter ${strange}`);
  const stream = parameters.get('stream') ?? 'testledger';
  if (!/^[\w-]{1,64}$/.test(stream))
    throw new Error('the URL of the bus must name a stream of letters, digits, - and _');
  const replicas = Number(parameters.get('replicas') ?? '1');
  if (![1, 3, 5].includes(replicas)) throw new Error('the URL of the bus must have 1, 3 or 5 replicas');
  return { stream, replicas };
}
