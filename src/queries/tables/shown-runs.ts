/** Which events of a run a reader sees it change by: all that one append writes for a submission are one change. */
import type { RecordedEvent } from '../../domain/event.js';
import type { EventData } from '../../domain/events.js';

export type Shown = {
  /** Whether the run is seen after this event. Takes the events of a run in order. */
  isShown(event: RecordedEvent): boolean;
};

export function openShown(): Shown {
  /** By run whose submission arrives: the type of the event that ends it. */
  const arriving = new Map<string, 'RunCompleted' | 'ItemsReceived'>();
  return {
    isShown({ type, data }) {
      const { run_id } = data as { run_id: string };
      if (type === 'RunCreated') {
        const { items, with_items } = data as EventData['RunCreated'];
        if (items > 0) arriving.set(run_id, 'RunCompleted');
        else if (with_items === true) arriving.set(run_id, 'ItemsReceived');
      }
      if (type === 'ItemsSubmitted') arriving.set(run_id, 'ItemsReceived');
      if (type === arriving.get(run_id)) arriving.delete(run_id);
      return !arriving.has(run_id) && CHANGES.has(type);
    },
  };
}

const CHANGES = new Set([
  'RunCreated',
  'RunDescribed',
  'RunStarted',
  'RunCompleted',
  'RunReturnedToPending',
  'RunRedacted',
  'ItemsReceived',
  'ResultCreated',
  'ResultStarted',
  'ResultFinished',
  'ResultUpdated',
  'ResultDeleted',
  'ResultRedacted',
]);
