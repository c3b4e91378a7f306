/** What tests of pages with lists share: a server, its rows, and runs at a minute of a day. */
import { expect } from 'chai';
import { givenSubmission } from '../../http/given.js';
import { api, type Api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { pageServer } from '../../kit/page-server.js';
import { elementsIn, textOf } from '../html.js';

/** A server for the block of tests around it. */
export function listPages() {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  const shown = async (path: string, as = 'viewer') => {
    const { status, text } = await server.get(path, { as });
    expect(status, text).to.equal(200);
    return text;
  };
  /** The text of each row of the table, with one space between words. */
  const rows = async (path: string) =>
    elementsIn(await shown(path))
      .filter(({ tagName, attrs }) => tagName === 'tr' && attrs.some(({ name }) => name === 'data-row'))
      .map((row) => textOf(row).replace(/\s+/g, ' '));
  const submit = (project: string, items: readonly object[], fields: object = {}) =>
    givenSubmission(client, project, items, fields);
  const at = (minute: number, seconds: number) => ({
    started_at: `2026-11-20T10:${minute}:00Z`,
    finished_at: `2026-11-20T10:${minute}:${seconds}Z`,
  });
  return { server, client, shown, rows, submit, at };
}
