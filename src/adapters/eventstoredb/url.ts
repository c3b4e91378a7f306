/** The connection string of an EventStoreDB log: the client's own format, with one parameter of ours. */

export type EsdbUrl = {
  /** For the client: without our parameter, and with the settings that this adapter relies on. */
  url: string;
  /** A prefix of the names of all streams, so that several installations can share one cluster. */
  namespace: string | null;
};

/** The client's parameters, and ours. */
const PARAMETERS = new Set([
  'namespace',
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
  'maxdiscoverattempts',
  'nodepreference',
  'throwonappendfailure',
  'tls',
  'tlscafile',
  'tlsverifycert',
  'usercertfile',
  'userkeyfile',
]);

const NAMESPACE = /^[a-z\d.]{1,32}$/;

/** Takes a connection string apart. @throws Error for a setting with which the log cannot keep its promises. */
export function parseEsdbUrl(text: string): EsdbUrl {
  const [base = '', query = ''] = text.trim().split('?', 2);
  if (!/^esdb(\+discover)?:\/\/./.test(base)) throw new Error('must be esdb://<server>');
  const parameters = query.split('&').filter((each) => each !== '');
  const named = (name: string) => parameters.find((each) => nameOf(each) === name);

  const namespace = valueOf(named('namespace'));
  if (namespace !== null && !NAMESPACE.test(namespace))
    throw new Error(`the namespace must have 1 to 32 lower-case letters, digits and dots: ${namespace}`);
  // The client would write a warning to the console, with the whole URL and its password.
  const unknown = parameters.map(nameOf).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    // The part after a question mark in a password is not shown either.
    const name = /^[a-z]+$/.test(unknown) ? `: ${unknown}` : '';
    throw new Error(`the URL of the event log has an unknown parameter${name}`);
  }
  if (valueOf(named('tlsverifycert')) === 'false')
    throw new Error(
      'certificates are always verified: name the authority as tlsCAFile instead of tlsVerifyCert=false',
    );
  const preference = valueOf(named('nodepreference'));
  // A follower may lag behind: a read from it would not see an append that was answered before the read.
  if (preference !== null && flat(preference) !== 'leader')
    throw new Error(`the event log is read from the leader only, not with nodePreference=${preference}`);
  // With false, the client answers every refused batch append with revision 1.
  if (valueOf(named('throwonappendfailure')) === 'false')
    throw new Error('throwOnAppendFailure must be true');

  const kept = parameters.filter((each) => each !== named('namespace'));
  if (named('connectionname') === undefined) kept.push('connectionName=testledger');
  return { url: `${base}?${kept.join('&')}`, namespace };
}

/**
 * Adds a limit for unanswered pings, unless the URL has one. Channels with equal settings share one connection. With
 * another number, each new client gets a connection of its own instead of a stuck one.
 */
export function withPingLimit(url: string, milliseconds: number): string {
  return /[?&]keep[-_]?alive[-_]?timeout=/i.test(url) ? url : `${url}&keepAliveTimeout=${milliseconds}`;
}

function valueOf(parameter: string | undefined): string | null {
  return parameter === undefined ? null : parameter.slice(parameter.indexOf('=') + 1).trim();
}

function nameOf(parameter: string): string {
  return flat(parameter.split('=', 1)[0] ?? '');
}

/** The client compares the names of parameters in this form. */
function flat(text: string): string {
  return text.trim().toLowerCase().replace(/[_-]/g, '');
}
