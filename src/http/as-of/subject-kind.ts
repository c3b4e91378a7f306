/** The kinds of things that are shown as of a moment. */
export type SubjectKind = 'run' | 'result' | 'test';
