/**
 * What the pages of the dashboard say of a run, a test, a result or a cause of failures: states, times and counts. Two
 * pages that say two things of one show a defect.
 */
import { textOf, type Element, attributeOf } from './html.js';

/**
 * `thing`: as `run run_1: failed`. `run run_1: moment` is the time of a result of the run, as of a first failure: there may
 * be several.
 */
export type Claim = { thing: string; value: string };

/** The claims of a page in HTML, of which these are all elements. `path` is without the query. */
export function claimsInHtml(path: string, all: readonly Element[]): Claim[] {
  const claims: Claim[] = [];
  const say = (thing: string, value: string | null | undefined) => {
    if (value != null) claims.push({ thing, value });
  };
  for (const link of all.filter(({ tagName }) => tagName === 'a')) {
    const run = idIn(link, 'runs');
    if (run !== null) say(`run ${run}: moment`, timeIn(link));
  }
  for (const row of all.filter(({ tagName }) => tagName === 'tr')) {
    const links = within(row, 'a');
    const first = links.map((link) => ({ run: idIn(link, 'runs'), test: idIn(link, 'tests') }))[0];
    const result = links.map((link) => idIn(link, 'results')).find((id) => id !== null);
    const isOf = (table: string) => tableOf(row).includes(table);
    const cause = idIn(links[0] ?? row, 'failures');
    const numbers = within(row, 'td')
      .filter((cell) => attributeOf(cell, 'class')?.split(' ').includes('number'))
      .map((cell) => /^[\d,]+/u.exec(textOf(cell))?.[0]);
    if (cause !== null && isOf('groups')) {
      say(`cause ${cause}: runs`, numbers[0]);
      say(`cause ${cause}: results`, numbers[1]);
      say(`cause ${cause}: since`, times(row)[0]);
      say(`cause ${cause}: last`, times(row)[1]);
    }
    const project = idIn(links[0] ?? row, 'projects');
    if (project !== null && isOf('projects')) say(`project ${project}: last run`, times(row).at(-1));
    if (first?.run != null && isOf('runs')) {
      say(`run ${first.run}: state`, outcomeIn(row));
      say(`run ${first.run}: time`, times(row).at(-1));
      say(`run ${first.run}: failed`, failedIn(textOf(withClass(row, 'results')!)));
    }
    if (first?.test != null && isOf('tests')) say(`test ${first.test}: state`, stateIn(row) ?? 'stable');
    if (result != null) say(`result ${result}: status`, outcomeIn(row));
  }
  const place = /\/(runs|results|tests|failures|projects)\/([^/]+)$/u.exec(path);
  if (place === null) return claims;
  const [, kind, id] = place as unknown as [string, string, string];
  const facts = factsIn(all);
  if (kind === 'runs') {
    const verdict = withClass(all[0]!, 'verdict');
    if (verdict !== null) {
      say(`run ${id}: state`, outcomeIn(verdict));
      claims.push(...inVerdict(id, textOf(withClass(verdict, 'answer')!), restOf(verdict)));
    }
    say(`run ${id}: time`, timeIn(facts.get('Finished') ?? facts.get('Started')));
    for (const item of all.filter((each) => attributeOf(each, 'class')?.split(' ').includes('group'))) {
      const cause = within(item, 'a').map((link) => idIn(link, 'failures'))[0];
      say(`run ${id}, cause ${cause}: tests`, textOf(within(item, 'strong')[0]!));
    }
  }
  if (kind === 'projects') {
    const [newest] = all.filter(({ tagName }) => tagName === 'tr').flatMap((row) => times(row).at(-1) ?? []);
    say(`project ${id}: last run`, newest);
  }
  if (kind === 'failures' && !path.includes('/runs/')) {
    const counts = /([\d,]+) runs?, ([\d,]+) results?/u;
    const about = all.find(
      (each) => attributeOf(each, 'class')?.split(' ').includes('facts') && counts.test(plain(textOf(each))),
    )!;
    const [, runs, results] = counts.exec(plain(textOf(about))) ?? [];
    say(`cause ${id}: runs`, runs);
    say(`cause ${id}: results`, results);
    say(`cause ${id}: since`, times(about)[0]);
    say(`cause ${id}: last`, times(about)[1]);
  }
  if (kind === 'results') {
    const state = facts.get('State of the test');
    say(`result ${id}: status`, state && outcomeIn(facts.get('Status')!));
    if (state !== undefined) {
      const test = idIn(within(state, 'a')[0]!, 'tests');
      say(`test ${test}: state`, stateIn(state));
      claims.push(...failsOf(test!, textOf(withClass(state, 'soft')!).replace(/^fails /u, '')));
    }
  }
  if (kind === 'tests') {
    say(`test ${id}: state`, stateIn(facts.get('State')!));
    const where = withClass(facts.get('State')!, 'soft');
    const fails = textOf(facts.get('Fails')!);
    claims.push(...failsOf(id, where === null ? fails : `${fails} ${textOf(where)}`));
  }
  return claims;
}

/** The claims of a page in Markdown. `test`: that of the result. */
export function claimsInMarkdown(path: string, text: string, test: string | null): Claim[] {
  const [, kind, id] = /\/(runs|results|tests)\/([^/]+)\.md$/u.exec(path) as unknown as string[];
  const claims: Claim[] = [];
  const say = (thing: string, pattern: RegExp) => {
    const value = pattern.exec(text)?.[1];
    if (value !== undefined) claims.push({ thing, value });
  };
  if (kind === 'runs') {
    const [head = '', ...rest] = (/^# (.*)$/mu.exec(text)?.[1] ?? '').split(' · ');
    claims.push(...inVerdict(id!, head, rest));
  }
  if (kind === 'tests') {
    say(`test ${id}: state`, /^- State: (\w+)(?: in .*| without an environment)?\. /mu);
    claims.push(...failsOf(id!, /^- Fails: (.*)$/mu.exec(text)?.[1]));
  }
  if (kind === 'results') {
    say(`result ${id}: status`, /^- Status: (\w+)/mu);
    if (test !== null) {
      say(`test ${test}: state`, /^- State of the test: (\w+)(?: in .*| without an environment)?, fails/mu);
      claims.push(...failsOf(test, /^- State of the test: \w+.*, fails (.*)$/mu.exec(text)?.[1]));
    }
  }
  return claims;
}

/** The claims of a page in JSON. */
export function claimsInJson(path: string, text: string): Claim[] {
  const [, kind, id] = /\/(runs|results|tests)\/([^/]+)\.json$/u.exec(path) as unknown as string[];
  const content = JSON.parse(text);
  switch (kind) {
    case 'runs': {
      const [head, ...rest] = content.verdict.split(' · ');
      return [
        ...inVerdict(id!, head, rest),
        { thing: `run ${id}: passed`, value: String(content.counts.passed) },
        ...content.groups
          .filter(({ tests }: any) => tests > 1)
          .map(({ group, tests, results }: any) => ({
            thing: `run ${id}, cause ${group}: tests`,
            value: results === tests ? `${tests} tests` : `${tests} tests (${results} results)`,
          })),
      ];
    }
    case 'tests':
      return [{ thing: `test ${id}: state`, value: content.status.name }];
    default:
      return [
        { thing: `result ${id}: status`, value: content.result.status },
        ...(content.test === null
          ? []
          : [{ thing: `test ${content.test.id}: state`, value: content.test.status }]),
      ];
  }
}

/** `5 % of its last 20 outcomes in os=linux`: of each environment, another share. */
function failsOf(test: string, text: string | undefined): Claim[] {
  if (text === undefined) return [];
  const [, value = '', where = ''] = /^(.*?outcomes?(?: yet)?)(.*)$/u.exec(plain(text)) ?? [];
  return [{ thing: `test ${test}${where.replaceAll('\\', '')}: fails`, value }];
}

/** `12 failed: 3 new`, then `48 passed` and others. */
function inVerdict(run: string, head: string, rest: readonly string[]): Claim[] {
  const passed = rest
    .map((part) => /^([\d,]+) passed$/u.exec(part.trim())?.[1])
    .find((each) => each !== undefined);
  return [
    { thing: `run ${run}: failed`, value: failedIn(head) },
    { thing: `run ${run}: verdict`, value: plain(head).replace(/^\S+ (?=\d|Nothing|Waiting|No )/u, '') },
    { thing: `run ${run}: passed`, value: passed?.replaceAll(',', '') ?? '0' },
  ];
}

function restOf(verdict: Element): string[] {
  return within(verdict, 'span')
    .filter((each) => attributeOf(each, 'class') === 'rest')
    .map(textOf);
}

function failedIn(text: string): string {
  return /([\d,]+) failed(?! attempt)/u.exec(text)?.[1]?.replaceAll(',', '') ?? '0';
}

function factsIn(all: readonly Element[]): Map<string, Element> {
  const named = all.filter(({ tagName }) => tagName === 'dt');
  return new Map(named.map((dt) => [textOf(dt), within(dt.parentNode as Element, 'dd')[0]!]));
}

/** The id in a link to a run, result, test or cause itself. */
function idIn(link: Element, kind: string): string | null {
  const found = new RegExp(`/${kind}/([^/?#.]+)(?:\\?|$)`, 'u').exec(attributeOf(link, 'href') ?? '');
  return found?.[1] ?? null;
}

function tableOf(row: Element): readonly string[] {
  const table = (row.parentNode as Element).parentNode as Element;
  return (attributeOf(table, 'class') ?? '').split(' ');
}

function times(element: Element): string[] {
  return within(element, 'time').flatMap((time) => attributeOf(time, 'datetime') ?? []);
}

function timeIn(element: Element | undefined): string | null {
  return element === undefined ? null : (times(element)[0] ?? null);
}

/** The word of an outcome, as the API has it. */
function outcomeIn(element: Element): string | null {
  const outcome = withClass(element, 'outcome');
  return outcome === null ? null : (attributeOf(outcome, 'class')!.split(' ')[1] ?? null);
}

/** The state of a test in a badge. */
function stateIn(element: Element): string | null {
  const states = within(element, 'span').filter((each) =>
    (attributeOf(each, 'class') ?? '').startsWith('badge'),
  );
  return states.map(textOf).find((text) => /^(?:flaky|broken|failing|stable)$/u.test(text)) ?? null;
}

function withClass(element: Element, name: string): Element | null {
  return within(element).find((each) => attributeOf(each, 'class')?.split(' ').includes(name)) ?? null;
}

/** The elements inside of one, in their order. */
export function within(element: Element, tag?: string): Element[] {
  const found: Element[] = [];
  for (const child of element.childNodes) {
    if (!('tagName' in child)) continue;
    if (tag === undefined || child.tagName === tag) found.push(child);
    found.push(...within(child, tag));
  }
  return found;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
