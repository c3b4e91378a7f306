import type { UnderstoodError, UnderstoodResult } from '../../../../src/domain/understood.js';

/** A failure, and the group into which a person would put it. */
export type Example = {
  framework: string;
  group: string;
  error: Partial<UnderstoodError> | null;
  file?: string;
};

export function failedResult({ error, file }: Pick<Example, 'error' | 'file'>): UnderstoodResult {
  const empty = { type: null, message: null, stack: null, expected: null, actual: null, hook: null };
  return {
    file: file ?? null,
    line: null,
    suite: null,
    owner: null,
    tags: [],
    links: [],
    error: error === null ? null : { ...empty, ...error },
  };
}
