/** What a webhook gets one message of: each test that fails, each group of failures of a run, or each run. */
export const pers = ['test', 'group', 'run'] as const;
export type Per = (typeof pers)[number];
