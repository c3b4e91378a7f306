/** Checks of the server that commands and reporters talk to: its answer, its version, its clock, and the key. */
import { parsed, readBody } from '../../../client/read-body.js';
import { version } from '../../../version.js';
import { fetchOfProcess } from '../../fetch.js';
import { checked, failed, ok, warn, type Finding } from './check.js';

/** `apiKey`: null where there is none. */
export async function checkServer(url: string, apiKey: string | null): Promise<Finding[]> {
  const advice = 'Check TESTLEDGER_URL, and that the server runs.';
  let skew: Finding | null = null;
  const answers = await checked('server', advice, async () => {
    const began = Date.now();
    const answer = await get(`${url}/v1/test/status`);
    const body = await objectIn<{ version?: string; detail?: string }>(answer);
    skew = skewOf(answer.headers.get('Date'), (began + Date.now()) / 2);
    if (!answer.ok) return failed('server', `${url} answers ${answer.status}: ${body.detail ?? ''}`, advice);
    if (body.version === undefined) return failed('server', `${url} is not testledger`, advice);
    const message = `testledger ${body.version} answers at ${url}`;
    return body.version === version
      ? ok('server', message)
      : warn('server', message, `This command line is ${version}: install the version of the server.`);
  });
  if (answers.status === 'fail') return [answers];
  return [answers, ...(skew === null ? [] : [skew]), await checkKey(url, apiKey)];
}

const SKEW_MS = { warn: 5_000, fail: 60_000 };

/** Servers refuse instants that lie in the future, and signed URLs expire by the clock of the server. */
function skewOf(date: string | null, now: number): Finding | null {
  const there = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(there)) return null;
  // The header has whole seconds, cut off.
  const skew = now - there - 500;
  const seconds = (Math.abs(skew) / 1_000).toFixed(0);
  const message = `this clock is ${seconds} s ${skew < 0 ? 'behind' : 'ahead of'} that of the server`;
  const advice = 'Synchronise the clocks of both machines, by NTP for example.';
  if (Math.abs(skew) >= SKEW_MS.fail) return failed('clock', message, advice);
  return Math.abs(skew) >= SKEW_MS.warn ? warn('clock', message, advice) : ok('clock', message);
}

function checkKey(url: string, apiKey: string | null): Promise<Finding> {
  const advice = 'Set TESTLEDGER_API_KEY to a key of this server.';
  return checked('key', advice, async () => {
    if (apiKey === null) return warn('key', 'there is no API key', advice);
    const answer = await get(`${url}/v1/me`, { Authorization: `Bearer ${apiKey}` });
    if (answer.status === 401) return failed('key', 'the server does not know the API key', advice);
    if (!answer.ok)
      return failed('key', `the server answers ${answer.status}`, 'Run the command again later.');
    const { data } = await objectIn<{ data?: { key: { role: string }; team: { name: string } } }>(answer);
    if (data === undefined) return failed('key', 'the server is not testledger', advice);
    const message = `the API key has the role ${data.key.role} in the team ${data.team.name}`;
    return data.key.role === 'viewer'
      ? warn('key', message, 'A viewer cannot record results: reporters and imports need a member.')
      : ok('key', message);
  });
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const fetch = await fetchOfProcess();
  return fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(10_000) });
}

/** Both answers have less than 1 KiB; another server may answer anything. */
const ANSWER_BYTES = 64 * 1_024;

/** An object without fields for what is no JSON, such as the page of a proxy. */
async function objectIn<T extends object>(answer: Response): Promise<Partial<T>> {
  const bytes = await readBody(answer, ANSWER_BYTES, () => {
    throw new Error(`the answer has more than ${ANSWER_BYTES} bytes`);
  });
  return parsed(bytes.toString()) ?? {};
}
