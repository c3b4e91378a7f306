import type { Api } from '../../kit/client.js';

/**
 * The page of `/metrics`, as it was rendered after this call. A page is kept for a moment, and the first answer may be
 * older; the next different one is not.
 */
export async function freshMetrics(anyone: Api): Promise<string> {
  const { text: first } = await anyone.get('/metrics');
  for (;;) {
    const { text } = await anyone.get('/metrics');
    if (text !== first) return text;
  }
}
