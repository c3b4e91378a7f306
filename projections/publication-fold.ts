/** The fold of the publication: over events with what they do not carry. */
import type { Fold } from '../src/domain/projection.js';
import { triggers, mayTrigger, type Trigger } from './messages.js';
import { projection } from './projection.js';
import { foldRun, touchedRun, type RunCountsDocument } from './run-counts.js';
import { teamWebhooks } from './team-webhooks.js';
import { foldTest, touchedTest } from './tests.js';
import type { TeamWebhooksDocument, TestDocument } from './publication.js';
import type { EnrichedEvent } from './told.js';

const webhooks = projection({ name: 'team_webhooks', version: 1, collections: [], on: teamWebhooks });

/** The fold, which tells each event that something may be made known of, with what was there then. */
export function publicationFold(tell: (occasion: Trigger) => void): Fold<EnrichedEvent> {
  return {
    touches(event) {
      const touched = touchedRun(event);
      touchedTest(event, touched);
      // Nearly all events are of results, and this is asked of each.
      if (event.type.startsWith('Webhook')) touched.push(...webhooks.touches(event));
      if (mayTrigger(event)) touched.push({ collection: 'team_webhooks', id: event.meta.team_id });
      return touched;
    },
    apply(documents, event) {
      webhooks.apply(documents, event);
      foldRun(documents, event);
      const transitions = foldTest(documents, event);
      if (!triggers(event, transitions)) return;
      const run = runOf(event);
      const test = event.told === undefined ? null : documents.get<TestDocument>('tests', event.told.test_id);
      tell({
        event,
        transitions,
        first: (test?.transitions ?? 0) - transitions.length,
        counts: run === null ? null : documents.get<RunCountsDocument>('runs', run),
        webhooks: documents.get<TeamWebhooksDocument>('team_webhooks', event.meta.team_id)?.webhooks ?? [],
      });
    },
  };
}

function runOf(event: EnrichedEvent): string | null {
  if (event.type === 'RunCompleted') return event.data.run_id;
  return event.told?.result.test_run_id ?? null;
}
