/** The request for a table. It lasts longer than the time that the client gives to others, so it is sent here. */
import { CliError, failWith } from '../errors.js';
import { fetchOfProcess } from '../fetch.js';
import { serverUrl, wantedKey, type ServerFlags } from '../server.js';
import type { TableName } from '../../queries/tables/columns.js';

export type TableRequest = {
  table: TableName;
  format: 'csv' | 'parquet';
  after: string;
  /** Null for the newest position. */
  until: string | null;
  project: string | null;
  contents: boolean;
};

export type TableAnswer = { position: string; bytes: AsyncIterable<Uint8Array> };

/** @throws CliError as other requests; the bytes throw where the answer breaks off */
export async function requestTable(
  flags: Partial<ServerFlags> & { apiKey?: string | undefined },
  { table, format, after, until, project, contents }: TableRequest,
): Promise<TableAnswer> {
  const server = serverUrl(flags);
  const key = wantedKey(flags) ?? failWith('key_missing', 'there is no API key');
  const query = new URLSearchParams({
    format,
    ...(after !== '' && { after }),
    ...(until !== null && { until }),
    ...(project !== null && { project_id: project }),
    ...(contents && { contents: 'true' }),
  });
  const fetch = await fetchOfProcess();
  const url = `${server}/v1/exports/${table}?${query.toString()}`;
  const response = await fetch(url, { headers: { Authorization: key } }).catch((cause: unknown) =>
    failWith('server_unreachable', `${server}: there is no answer`, { cause }),
  );
  const position = response.headers.get('x-position');
  if (response.ok && position !== null && response.body !== null) return { position, bytes: response.body };
  const text = messageIn(await response.text());
  if (response.status === 429 || response.status >= 500) failWith('server_failed', `${server}: ${text}`);
  if (response.ok || response.status === 404) failWith('not_testledger', `${server} has no tables`);
  throw new CliError('request_refused', text);
}

/** Of an error of Surface B. */
function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return text.slice(0, 200);
  }
}
