/** What Cucumber's messages define before anything runs: where a scenario stands, what its steps say, what its hooks are. */
import { heldTexts } from '../../memory/held-texts.js';
import type { ImporterContext } from '../importer.js';
import { listOf, lineOf, objectOf, textOf, type JsonObject } from '../json/values.js';

/** A scenario, or a row of its examples, as Cucumber runs it. */
export type TestCase = {
  name: string;
  file: string | null;
  line: number | null;
  /** The feature, and the rule if there is one. */
  around: readonly string[];
  tags: readonly string[];
  /** The id of each step, and what it says. */
  steps: ReadonlyMap<string, string>;
};

export type Definitions = {
  define(kind: string, message: JsonObject): void;
  testCase(id: string): TestCase | null;
  /** Forgets a scenario that has had its last attempt, so that memory does not grow with what ran. */
  ended(testCase: string): void;
  /** The name of a hook. */
  hook(id: string): string;
};

/** A scenario of a feature file, or a row of its examples, where it is written. */
type Place = { name: string; around: readonly string[]; line: number | null; row: string | null };

/**
 * Some tools define all scenarios before the first one runs, so what is known of each waits, packed. Of scenarios beyond
 * the first number of bytes, the names of steps are not kept; beyond the second, the file is refused.
 */
const MOST_WITH_STEPS = 64 * 1_024 * 1_024;
const MOST_BYTES = 192 * 1_024 * 1_024;
const MOST_HOOKS = 10_000;

/** @throws ReportFault `too_large` for more scenarios than are kept */
export function definitions(refuse: ImporterContext['refuse']): Definitions {
  /** Of feature files that have no scenarios yet: each file is followed by its scenarios. */
  const places = new Map<string, Place>();
  const keywords = new Map<string, string>();
  let isFollowed = false;
  const waiting = packed(refuse);
  const hooks = new Map<string, string>();
  const cases = packed(refuse);
  /** The newest case: most tools run each as soon as it is defined, so that it need not be packed. */
  let newest: { id: string; found: TestCase } | null = null;

  function children(list: unknown, around: readonly string[]): void {
    for (const each of listOf(list)) {
      const { rule, background, scenario } = objectOf(each);
      if (rule !== undefined) {
        const name = textOf(objectOf(rule).name);
        // A rule has no rules inside.
        const inside = listOf(objectOf(rule).children).filter((child) => objectOf(child).rule === undefined);
        children(inside, name === null ? around : [...around, name]);
      }
      keywordsOf(objectOf(background).steps);
      if (scenario !== undefined) addScenario(objectOf(scenario), around);
    }
  }

  function addScenario(scenario: JsonObject, around: readonly string[]): void {
    keywordsOf(scenario.steps);
    const name = textOf(scenario.name) ?? '';
    const id = textOf(scenario.id);
    const line = lineOf(objectOf(scenario.location).line);
    if (id !== null) places.set(id, { name, around, line, row: null });
    for (const [n, each] of listOf(scenario.examples).entries()) {
      const examples = objectOf(each);
      for (const [at, row] of listOf(examples.tableBody).entries()) {
        const rowId = textOf(objectOf(row).id);
        const rowLine = lineOf(objectOf(objectOf(row).location).line);
        if (rowId !== null) places.set(rowId, { name, around, line: rowLine, row: `#${n + 1}.${at + 1}` });
      }
    }
  }

  function keywordsOf(steps: unknown): void {
    for (const step of listOf(steps).map(objectOf)) {
      const id = textOf(step.id);
      if (id !== null) keywords.set(id, textOf(step.keyword) ?? '');
    }
  }

  function addPickle(pickle: JsonObject): void {
    const id = textOf(pickle.id);
    if (id === null) return;
    const node = textOf(listOf(pickle.astNodeIds).at(-1)) ?? '';
    const place = places.get(node);
    // A scenario or a row is one pickle.
    places.delete(node);
    const name = textOf(pickle.name) ?? '';
    const steps = listOf(pickle.steps)
      .map(objectOf)
      .map((step): [string, string] => {
        const keyword = keywords.get(textOf(listOf(step.astNodeIds)[0]) ?? '') ?? '';
        return [textOf(step.id) ?? '', `${keyword}${textOf(step.text) ?? ''}`];
      });
    isFollowed = true;
    waiting.add(id, {
      // Rows of which the name does not tell one from the other, as Cucumber's report for JUnit tells them.
      name: place?.row != null && place.name === name ? `${name} - ${place.row}` : name,
      file: textOf(pickle.uri),
      line: place?.line ?? lineOf(objectOf(pickle.location).line),
      around: place?.around ?? [],
      tags: listOf(pickle.tags).flatMap((tag) => textOf(objectOf(tag).name) ?? []),
      steps: new Map(steps),
    });
  }

  function addCase(found: JsonObject): void {
    const id = textOf(found.id);
    const pickleId = textOf(found.pickleId) ?? '';
    const pickle = waiting.take(pickleId);
    if (id === null || pickle === null) return;
    const steps = listOf(found.testSteps)
      .map(objectOf)
      .map((step): [string, string] => {
        const hook = textOf(step.hookId);
        const text =
          hook === null ? pickle.steps.get(textOf(step.pickleStepId) ?? '') : (hooks.get(hook) ?? 'hook');
        return [textOf(step.id) ?? '', text ?? 'step'];
      });
    if (newest !== null) cases.add(newest.id, newest.found);
    newest = { id, found: { ...pickle, steps: new Map(steps) } };
  }

  return {
    define(kind, message) {
      switch (kind) {
        case 'gherkinDocument': {
          if (isFollowed) {
            places.clear();
            keywords.clear();
          }
          isFollowed = false;
          const feature = objectOf(message.feature);
          const name = textOf(feature.name);
          return children(feature.children, name === null ? [] : [name]);
        }
        case 'pickle':
          return addPickle(message);
        case 'hook':
          if (hooks.size < MOST_HOOKS) hooks.set(textOf(message.id) ?? '', hookName(message));
          return;
        case 'testCase':
          return addCase(message);
        default:
      }
    },
    testCase: (id) => (newest?.id === id ? newest.found : cases.get(id)),
    ended(testCase) {
      if (newest?.id === testCase) newest = null;
      else cases.delete(testCase);
    },
    hook: (id) => hooks.get(id) ?? 'hook of the run',
  };
}

function packed(refuse: ImporterContext['refuse']) {
  const texts = heldTexts();
  const get = (id: string): TestCase | null => {
    const text = texts.get(id);
    if (text === null) return null;
    const { steps, ...known } = JSON.parse(text) as Omit<TestCase, 'steps'> & { steps: [string, string][] };
    return { ...known, steps: new Map(steps) };
  };
  return {
    get,
    delete: texts.delete,
    add(id: string, { steps, ...known }: TestCase): void {
      if (texts.bytes > MOST_BYTES)
        refuse('too_large', 'More scenarios are defined before they run than are kept.');
      const kept = texts.bytes < MOST_WITH_STEPS ? [...steps] : [];
      texts.add(id, JSON.stringify({ ...known, steps: kept }));
    },
    /** As `get`, and forgets it. */
    take(id: string): TestCase | null {
      const found = get(id);
      texts.delete(id);
      return found;
    },
  };
}

function hookName({ name, type }: JsonObject): string {
  const words: Record<string, string> = {
    BEFORE_TEST_CASE: 'Before',
    AFTER_TEST_CASE: 'After',
    BEFORE_TEST_STEP: 'BeforeStep',
    AFTER_TEST_STEP: 'AfterStep',
    BEFORE_TEST_RUN: 'BeforeAll',
    AFTER_TEST_RUN: 'AfterAll',
  };
  const kind = words[textOf(type) ?? ''] ?? 'hook';
  const said = textOf(name);
  return said === null ? kind : `${kind}: ${said}`;
}
