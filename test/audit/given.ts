/** The audit on the embedded stores. */
import { openAudit } from '../../src/audit/audit.js';
import type { Use } from '../../src/audit/first-uses.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { Stores } from '../stores.js';

export const TEAM = 'team_01kaz5a0e9fqcs5v2r0h7m6t1w';
export const client = (n: number) => ({ network: `10.0.${n}.0/24`, agent: 'another program' });

export const useOf = (id: string, person: string | null = null): Use => ({
  act: 'key_first_used',
  subject: { type: 'key', id },
  team: TEAM,
  actor: id,
  person,
});

/** A process that tells. `log`: in place of that of the stores. */
export function auditOn(stores: Stores, log: Pick<EventLog, 'append'> = stores.log) {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const { clock } = stores;
  const audit = openAudit({ log, clock, report });
  stores.beforeClose(() => audit.close());
  return { audit, reported, report };
}

/** `<act> <id of the subject>` or `count <n>`, in the order of the log. */
export async function told(stores: Stores): Promise<string[]> {
  const { events } = await stores.log.readAll({ after: '', filter: { streams: ['audit-'] } });
  return (events as LedgerEvent<'ActRecorded' | 'ActCounted'>[]).map(({ data }) =>
    'act' in data ? `${data.act} ${data.subject.id}` : `count ${data.count}`,
  );
}
