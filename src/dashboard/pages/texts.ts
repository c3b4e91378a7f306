/**
 * What a run, a group of failures, a result and a test are in a text of at most 20 kB: as pages for people with the ends
 * `.md` and `.json`, as pages for API keys, and in the answers of MCP.
 */
import type { PageApi } from '../page-api.js';
import type { PageRequest, Text } from '../page.js';
import { linksOfMember, type TextLinks } from '../text/links.js';
import { withPosition } from '../text/text-page.js';
import { groupJson, groupMarkdown, loadGroup } from './cause/group-text.js';
import { loadResult } from './result/load.js';
import { resultJson, resultMarkdown } from './result/result-text.js';
import { readLists, readRun } from './run/read-run.js';
import { runJson, runMarkdown } from './run/run-text.js';
import { loadTest } from './test/load.js';
import { testJson, testMarkdown } from './test/test-text.js';

export type TextSource = {
  api: PageApi;
  links: TextLinks;
  format: 'md' | 'json';
  /** How far the read models were before the text was read. */
  position: string;
};

/** For a person of the team. The position comes first: what is shown is at least as new. */
export async function textSourceOf(
  { api, team, origin, position }: PageRequest,
  format: TextSource['format'],
): Promise<TextSource> {
  const at = (await position?.()) ?? '0';
  return { api, links: linksOfMember(team.team_id, origin), format, position: at };
}

/** @throws AppError `not_found` */
export async function runText(
  { api, links, format, position }: TextSource,
  { run, baseline }: { run: string; baseline?: string | undefined },
): Promise<Text> {
  const facts = await readRun(api, run, baseline);
  const lists = await readLists(api, facts, baseline);
  const text = format === 'md' ? runMarkdown(facts, lists, links) : runJson(facts, lists, links);
  return withPosition(text, position);
}

/** @throws AppError `not_found` */
export async function groupText(
  { api, links, format, position }: TextSource,
  of: { project: string; group: string },
): Promise<Text> {
  const view = await loadGroup(api, of);
  return withPosition(format === 'md' ? groupMarkdown(view, links) : groupJson(view, links), position);
}

/** @throws AppError `not_found` */
export async function resultText(
  { api, links, format, position }: TextSource,
  { result }: { result: string },
): Promise<Text> {
  const view = await loadResult(api, result);
  const text: Text =
    format === 'md'
      ? { type: 'text/markdown', text: resultMarkdown(view, links) }
      : { type: 'application/json', text: resultJson(view, links) };
  return withPosition(text, position);
}

/** `project`: left out where only the id of the test is known. @throws AppError `not_found` */
export async function testText(
  { api, links, format, position }: TextSource,
  {
    test,
    project,
    branch = null,
    environment = null,
  }: {
    test: string;
    project?: string | undefined;
    branch?: string | null | undefined;
    environment?: string | null | undefined;
  },
): Promise<Text> {
  const of = project ?? (await projectOfTest(api, test));
  const view = await loadTest(api, { project: of, test, branch, environment });
  const text: Text =
    format === 'md'
      ? { type: 'text/markdown', text: testMarkdown(view, links) }
      : { type: 'application/json', text: testJson(view, links) };
  return withPosition(text, position);
}

/** @throws AppError `not_found` */
export async function projectOfTest(api: Pick<PageApi, 'get'>, test: string): Promise<string> {
  return (await api.get('/v1/tests/{test}', { params: { test } })).data.project_id;
}
