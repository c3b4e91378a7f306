/** The file of an artifact: leads to a URL that was signed just now, so that a page that stays open stays whole. */
import type { Page, PageReply, PageRequest } from '../../page.js';
import type { PageApi } from '../../page-api.js';
import { traceViewerUrl } from '../../trace-viewer.js';

export const file: Page = {
  method: 'GET',
  path: '/teams/:team/artifacts/:artifact',
  role: 'viewer',
  handle: leadToFile,
};

export async function leadToFile({
  api,
  params,
  url,
  files,
}: Pick<PageRequest, 'params' | 'url' | 'files'> & { api: Pick<PageApi, 'get'> }): Promise<PageReply> {
  const { download_url } = await api.get('/v1/test/artifact/{artifact_id}/download', {
    params: { artifact_id: params['artifact']! },
  });
  const signed = new URL(download_url);
  // The files of a bucket have the origin of the bucket, which the server cannot give another one.
  if (files.origin !== null) return { redirect: download_url };
  const path = signed.pathname + signed.search;
  const { untrustedOrigin: apart } = files;
  if (apart === null) return { redirect: path };
  if (url.searchParams.has('viewer')) return { redirect: traceViewerUrl(apart, apart + path) };
  return { redirect: url.searchParams.has('open') ? apart + path : path };
}
