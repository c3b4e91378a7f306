/** Artifacts: bytes a second into the folder and out of it, beside a bare file server. */
import { startChild } from '../processes/child.js';
import type { Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';
import type { Transfers } from './transfer.child.js';
import { inTurns, undisturbed } from '../table/turns.js';

const BYTES = 100 * 2 ** 20;
const FILES = 4;

type Artifact = { artifact_id: string; upload_url: string };

/** Creates a result with an artifact whose bytes are not uploaded yet. */
export async function announced({ call, project }: Server, size_bytes: number): Promise<Artifact> {
  const result = { project_id: project, test_name: 'checkout pays by card', status: 'Failed' };
  const { test_result_id } = (await call('POST', '/v1/test/result/', result)).body as {
    test_result_id: string;
  };
  const file = { kind: 'Video', label: 'video.webm', content_type: 'video/webm', size_bytes };
  return (await call('POST', '/v1/test/artifact/', { test_result_id, ...file })).body as Artifact;
}

export async function artifactRows(
  server: Server,
  { folder, turns }: { folder: string; turns: number },
): Promise<Row[]> {
  const { call } = server;
  const bare = startChild<{ folder: string }, string>('rows/files.child.js');
  const client = startChild<Transfers, number>('rows/transfer.child.js', 'load');
  const files = await bare.ask({ folder });
  const names = Array.from({ length: FILES }, (_, n) => `${files}/${n}`);
  let kept: Artifact[] = [];
  /** Measures the upload alone: the steps before and after it move no bytes. */
  const upload = async () => {
    const former = kept;
    kept = await Promise.all(Array.from({ length: FILES }, () => announced(server, BYTES)));
    const rate = await client.ask({ put: kept.map(({ upload_url }) => upload_url), bytes: BYTES });
    for (const { artifact_id } of kept) await call('POST', `/v1/test/artifact/${artifact_id}/confirm`);
    for (const { artifact_id } of former) await call('DELETE', `/v1/test/artifact/${artifact_id}`);
    return rate;
  };
  const download = async () => {
    const urls = kept.map(async ({ artifact_id }) => {
      const { body } = await call('GET', `/v1/test/artifact/${artifact_id}/download`);
      return (body as { download_url: string }).download_url;
    });
    return client.ask({ get: await Promise.all(urls), bytes: BYTES });
  };
  const measures = [
    () => client.ask({ put: names, bytes: BYTES }),
    upload,
    () => client.ask({ get: names, bytes: BYTES }),
    download,
  ];
  for (const warmUp of measures) await undisturbed(warmUp);
  const [put = [], uploaded = [], got = [], downloaded = []] = await inTurns(turns, measures);
  await Promise.all([bare.stop(), client.stop()]);
  const note = `${FILES} files of 100 MiB at a time; reference: bare node:http and the disk`;
  const row = { unit: 'MB/s', atLeast: null } as const;
  return [
    compare({ ...row, figure: 'artifact upload', measured: uploaded, reference: put, note }),
    compare({ ...row, figure: 'artifact download', measured: downloaded, reference: got }),
  ];
}
