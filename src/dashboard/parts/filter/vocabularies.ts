/** What each list can be filtered by. Its API has a parameter for each field. */
import { addMilliseconds } from '../../../clock.js';
import { acts } from '../../../domain/audit/acts.js';
import { parseEnvironmentKey } from '../../../domain/environment.js';
import type { Instant } from '../../../domain/event.js';
import type { FilterField, Vocabulary } from './filter.js';

const HOUR = 3_600_000;
const units: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
const ageForm = /^([1-9]\d{0,3})([hdw])$/;

const branch = { hint: 'its branch' } satisfies FilterField;
const owner = { hint: 'who looks after it' } satisfies FilterField;
const tag = { hint: 'one of its tags', excludes: true, most: 64 } satisfies FilterField;
const environment = {
  hint: 'where it ran, such as os=linux,node=22',
  accepts: (value) => parseEnvironmentKey(value) !== null,
  expects: 'like os=linux,node=22',
  most: 600,
} satisfies FilterField;
const age = {
  hint: 'not longer ago than this',
  accepts: (value) => ageForm.test(value),
  expects: 'a number of hours, days or weeks, such as 24h, 7d or 4w',
} satisfies FilterField;

/** The beginning of the time that an age reaches back over; undefined without one. */
export function sinceOf(age: string | undefined, now: Instant): Instant | undefined {
  const [, count, unit] = ageForm.exec(age ?? '') ?? [];
  return unit === undefined ? undefined : addMilliseconds(now, -Number(count) * units[unit]!);
}

/** Offered of every age. */
export const ages = ['24h', '7d', '30d'] as const;

export const ofRuns: Vocabulary = {
  fields: {
    status: {
      hint: 'how it ended, or that it goes on',
      values: ['failed', 'passed', 'skipped', 'running', 'pending'],
    },
    branch,
    environment,
    tool: { hint: 'what ran the tests' },
    actor: { hint: 'who made the change' },
    commit: { hint: 'all of its hash' },
    pull_request: { hint: 'its number' },
    build: { hint: 'that of the CI system' },
    age,
  },
  words: 'message, label, branch, commit, pull request and actor, in any order',
  initial: '',
  example: 'status:failed branch:main age:7d',
};

export const testStates = ['any', 'broken', 'flaky', 'failing', 'known', 'all'] as const;

export const ofTests: Vocabulary = {
  fields: {
    state: { hint: 'how it stands; "any" needs attention', values: testStates },
    owner,
    tag,
    environment,
  },
  words: 'the name, as one text',
  initial: '',
  example: 'state:flaky owner:@shop -tag:slow',
};

export const ofCauses: Vocabulary = {
  fields: {
    state: { hint: 'how it stands', values: ['open', 'known', 'fixed', 'came_back'] },
    owner: { hint: 'who works on it' },
    branch: { hint: 'where it was seen' },
    environment,
    age: { ...age, hint: 'seen within this time' },
  },
  words: 'the error, in any order',
  initial: 'age:30d',
  example: 'state:open owner:@shop TypeError',
};

export const ofResults: Vocabulary = {
  fields: {
    status: { hint: 'how it ended', values: ['failed', 'passed', 'skipped', 'known_fail'] },
    owner,
    tag,
    environment,
  },
  words: 'the name, as one text',
  initial: '',
  example: 'status:failed owner:@shop -tag:slow',
};

export const ofProjects: Vocabulary = {
  fields: { status: { hint: 'whether results are taken', values: ['active', 'inactive'] } },
  words: 'the name and the description, in any order',
  initial: '',
  example: 'shop checkout',
};

export const ofDeliveries: Vocabulary = {
  fields: {
    state: {
      hint: 'how it stands; "exhausted" was given up',
      values: ['delivered', 'pending', 'exhausted', 'cancelled'],
    },
  },
  words: null,
  initial: '',
  example: 'state:exhausted',
};

export const ofAudit: Vocabulary = {
  fields: {
    type: { hint: 'what was done', values: Object.keys(acts) },
    actor: {
      hint: 'by whom: the id of a person or a key',
      accepts: (value) => /^(?:person|key)_\w{1,40}$/.test(value),
      expects: 'the id of a person or a key',
    },
    age,
  },
  words: null,
  initial: '',
  example: 'type:key_made age:7d',
};
