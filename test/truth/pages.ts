/**
 * What pages say of a history, in all formats: the state of each run and test, the status of each result, and every cell of a
 * strip. No page may show a pass of a test that has no such result in the run.
 */
import { expect } from 'chai';
import { stateName, worstLine } from '../../src/dashboard/pages/test/state.js';
import { stateOf } from '../../src/domain/runs/run-state.js';
import { claimsInHtml, claimsInJson, claimsInMarkdown, within, type Claim } from '../dashboard/claims.js';
import { attributeOf, elementsIn, type Element } from '../dashboard/html.js';
import { visit, type Visitor } from '../dashboard/shown-page.js';
import { bodyOf } from '../http/given.js';
import type { Answer, Api } from '../kit/client.js';
import type { Facts } from './expected.js';
import { comparisonIn, type SaidOfTest } from './said.js';

/** Visits some pages of a project, chosen by `pick`. Returns how many claims and cells were compared. */
export async function checkPages(
  visitor: Visitor,
  project: string,
  facts: Facts,
  pick: number,
): Promise<number> {
  const as = { ...visitor, api: askedOnce(visitor.api) };
  const any = (ids: readonly string[]) => ids[pick % ids.length];
  const team = `/teams/${as.team}`;
  const [run, test, result] = [
    any(Object.keys(facts.said.runs)),
    any(Object.keys(facts.said.tests)),
    any([...facts.results.keys()]),
  ];
  const group = any(
    (await bodyOf(as.api, `/v1/projects/${project}/failures`)).data.map((one: any) => one.group),
  );
  const paths = [
    `${team}/projects/${project}`,
    `${team}/projects/${project}/tests?state=all`,
    ...(run === undefined ? [] : [`${team}/runs/${run}`, `${team}/runs/${run}/results`]),
    ...(test === undefined ? [] : [`${team}/projects/${project}/tests/${test}`]),
    ...(result === undefined ? [] : [`${team}/results/${result}`]),
    ...(group === undefined ? [] : [`${team}/projects/${project}/failures/${group}`]),
  ];
  let compared = 0;
  for (const path of paths) {
    const { html } = await visit(path, as);
    const [plain = ''] = path.split('?');
    const elements = elementsIn(html);
    compared += checkClaims(claimsInHtml(plain, elements), facts, path);
    compared += checkCells(elements, facts, path) + checkRows(elements, facts, path);
    if (!/\/(?:runs|tests|results)\/[^/]+$/u.test(plain)) continue;
    const [json, markdown] = [await textAt(`${path}.json`, as), await textAt(`${path}.md`, as)];
    const content = JSON.parse(json);
    const ofResult: string | null = content.test?.id ?? null;
    compared += checkClaims(claimsInJson(`${path}.json`, json), facts, `${path}.json`);
    compared += checkClaims(claimsInMarkdown(`${path}.md`, markdown, ofResult), facts, `${path}.md`);
    compared += checkListed([...listedIn(content), ...linesIn(markdown)], facts, path);
    if (plain.includes('/runs/')) {
      const { outcome, empty, standing, gate, comparison } = facts.said.runs[content.id]!;
      const said = [
        content.outcome,
        content.empty,
        content.standing_counts,
        comparisonIn(content.comparison),
      ];
      expect(said, path).to.deep.equal([outcome, empty, standing, comparison]);
      if (gate !== null)
        expect([content.gate, content.gate_reasons], path).to.deep.equal([gate.gate, gate.reasons]);
    }
  }
  if (run !== undefined) {
    const { data } = await bodyOf(as.api, `/v1/test-runs/${run}/failures?details=true`);
    for (const { example, outcomes } of data) compared += checkOutcomes(outcomes, example, facts);
  }
  if (group !== undefined) {
    const { data } = await bodyOf(as.api, `/v1/projects/${project}/failures/${group}`);
    compared += checkOutcomes(data.outcomes, data.example, facts);
  }
  return compared;
}

/** The pages ask for the same things, and nothing changes while they are compared. */
function askedOnce(api: Api): Api {
  const answers = new Map<string, Answer>();
  return {
    ...api,
    async get(path) {
      const answer = answers.get(path) ?? (await api.get(path));
      answers.set(path, answer);
      return { ...answer, body: structuredClone(answer.body) };
    },
  };
}

async function textAt(path: string, as: Visitor): Promise<string> {
  const { reply } = await visit(path, as);
  if (!('text' in reply)) throw new Error(`${path} is no text`);
  return reply.text;
}

function checkClaims(claims: readonly Claim[], facts: Facts, path: string): number {
  let compared = 0;
  for (const { thing, value } of claims) {
    const wanted = wantedOf(thing, facts);
    if (wanted === null) continue;
    expect(wanted, `${thing} on ${path}`).to.include(value);
    compared += 1;
  }
  return compared;
}

/** What may be said of a thing; null where the model has no word on it. */
function wantedOf(thing: string, { said, results, entries }: Facts): (string | undefined)[] | null {
  const [, kind, id = '', aspect] = /^(run|test|result) (\S+): (\w+)$/u.exec(thing) ?? [];
  switch (`${kind} ${aspect}`) {
    case 'run state': {
      const { status, outcome, standing: standing_counts } = said.runs[id]!;
      return [stateOf({ status, outcome, standing_counts } as Parameters<typeof stateOf>[0])];
    }
    case 'run failed':
      return [String(said.runs[id]!.standing.failed)];
    case 'run passed':
      return [String(said.runs[id]!.counts.passed)];
    case 'test state':
      return [wordOf(said.tests[id]!)];
    case 'result status':
      // A list of outcomes has the last final status, also of a result that is running again.
      return [results.get(id)?.word, entries.get(id)?.word];
    default:
      return null;
  }
}

/** Of its worst line. */
function wordOf({ lines, ...test }: SaidOfTest): string {
  const environments = lines.map(({ environment, ...line }) => ({ environment_key: environment, ...line }));
  return stateName(worstLine({ ...test, environments } as Parameters<typeof worstLine>[0]));
}

/** The cells of a strip that are links, to a result or a run. */
function checkCells(all: readonly Element[], { entries }: Facts, path: string): number {
  let compared = 0;
  for (const link of all.filter(({ tagName }) => tagName === 'a')) {
    const [cell] = link.childNodes.flatMap((node) =>
      'tagName' in node && node.tagName === 'rect' ? [attributeOf(node, 'class')] : [],
    );
    const id = /\/results\/(\w+)$/u.exec(attributeOf(link, 'href') ?? '')?.[1];
    if (cell === undefined || id === undefined) continue;
    expect(cell === 'flaky' ? 'passed' : cell, `${id} in a strip of ${path}`).to.equal(entries.get(id)?.word);
    compared += 1;
  }
  return compared;
}

/** The strips of a list of tests have no links: each run with a pass is one cell of them at most. */
function checkRows(all: readonly Element[], { entries }: Facts, path: string): number {
  let compared = 0;
  for (const row of all.filter(({ tagName }) => tagName === 'tr')) {
    const inRow = within(row);
    const test = inRow
      .map((each) => /\/tests\/(\w+)$/u.exec(attributeOf(each, 'href') ?? '')?.[1])
      .find(Boolean);
    const green = inRow.filter(
      (each) => each.tagName === 'rect' && /^(?:passed|flaky)$/u.test(attributeOf(each, 'class') ?? ''),
    );
    if (test === undefined) continue;
    const passes = [...entries].filter(([, one]) => one.test === test && one.word === 'passed');
    const runs = new Set(passes.map(([id, { run }]) => run ?? id));
    expect(green.length, `passes of ${test} on ${path}`).to.be.at.most(runs.size);
    compared += green.length;
  }
  return compared;
}

type Listed = { id: string; status: string };

function checkListed(listed: readonly Listed[], { results, entries }: Facts, path: string): number {
  for (const { id, status } of listed) {
    expect([results.get(id)?.word, entries.get(id)?.word], `${id} in the text of ${path}`).to.include(status);
  }
  return listed.length;
}

/** Every result with a status, wherever it is in a page in JSON. */
function listedIn(value: unknown): Listed[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, result_id = id, status } = value as Record<string, unknown>;
  const own =
    typeof result_id === 'string' && result_id.startsWith('result_') && typeof status === 'string'
      ? [{ id: result_id, status }]
      : [];
  return [...own, ...Object.values(value).flatMap(listedIn)];
}

/** `- <time> passed, attempt 1, …/results/<id>`, and the same as evidence. */
function linesIn(markdown: string): Listed[] {
  const lines = markdown.matchAll(
    /^- .*?\b(passed|failed|skipped|known_fail), attempt .*\/results\/(\w+)$/gmu,
  );
  return [...lines].map(([, status, id]) => ({ id: id!, status: status! }));
}

/** Of a group of failures: without any text they are of one test. */
function checkOutcomes(
  outcomes: readonly { run_id: string; outcome: string | null }[],
  example: { id: string } | null,
  { entries }: Facts,
): number {
  const own = example === null ? undefined : entries.get(example.id);
  if (own === undefined) return 0;
  for (const { run_id, outcome } of outcomes) {
    if (outcome === null) continue;
    const there = [...entries.values()].filter(
      (one) => one.run === run_id && one.test === own.test && one.word === outcome,
    );
    expect(there.length, `${outcome} of ${own.test} in ${run_id}`).to.be.above(0);
  }
  return outcomes.length;
}
