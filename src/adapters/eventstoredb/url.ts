/** The connection string of an EventStoreDB log: the client's own, with one parameter of ours. */

export type EsdbAddress = {
  /** For the client: without our parameter, with the settings that this adapter relies on. */
  url: string;
  /** In front of the names of all streams, so that several installations share one cluster. */
  namespace: string | null;
};

/** The parameters that the client knows, and ours. */
const KNOWN = new Set([
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

/** Takes a connection string apart. @throws Error where it asks for what the log cannot keep its promises with. */
export function parseEsdbUrl(text: string): EsdbAddress {
  const [base = '', query = ''] = text.trim().split('?', 2);
  if (!/^esdb(\+discover)?:\/\/./.test(base))
    throw new Error('the URL of an EventStoreDB log begins with esdb://');
  const parameters = query.split('&').filter((each) => each !== '');
  const named = (name: string) => parameters.find((each) => nameOf(each) === name);

  const namespace = valueOf(named('namespace'));
  if (namespace !== null && !NAMESPACE.test(namespace))
    throw new Error(`a namespace is 1 to 32 lower-case letters, digits and dots: ${namespace}`);
  // The client would warn of these on the console, with the whole URL and its password.
  const unknown = parameters.map(nameOf).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    // What follows a question mark in a password is not shown either.
    const name = /^[a-z]+$/.test(unknown) ? `: ${unknown}` : '';
    throw new Error(`the URL of the event log has an unknown parameter${name}`);
  }
  if (valueOf(named('tlsverifycert')) === 'false')
    throw new Error('the client always verifies certificates: give it the authority as tlsCAFile');
  const preference = valueOf(named('nodepreference'));
  // A follower may lag: a read from it would not see what was appended before the call.
  if (preference !== null && flat(preference) !== 'leader')
    throw new Error(`the event log is read from the leader only, not by nodePreference=${preference}`);
  // Without it the client answers a refused append of the batch path with revision 1, always.
  if (valueOf(named('throwonappendfailure')) === 'false')
    throw new Error('the event log needs throwOnAppendFailure to be left true');

  const kept = parameters.filter((each) => each !== named('namespace'));
  if (named('connectionname') === undefined) kept.push('connectionName=testledger');
  return { url: `${base}?${kept.join('&')}`, namespace };
}

/**
 * The same with a limit for unanswered pings, unless it has its own. Channels of equal settings share one connection:
 * another number for each client gives a new one its own, in place of one that is stuck.
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

/** As the client compares the names of parameters. */
function flat(text: string): string {
  return text.trim().toLowerCase().replace(/[_-]/g, '');
}
