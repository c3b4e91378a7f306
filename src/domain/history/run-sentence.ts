/** What happened to a run, in one sentence of plain English for each event. */
import type { Happened } from '../decider.js';
import type { EventData, RunEvent } from '../events.js';
import type { Run } from '../runs/run.js';
import { descriptionFields } from '../runs/run-description.js';
import { afterTime, listed, quoted } from './words.js';
import { counted } from '../text/amounts.js';

/**
 * `who` is the subject of the sentence, `before` the run before the event. A new type of event does not compile without
 * its sentence.
 */
export function runSentence(event: Happened<RunEvent>, who: string, before: Run): string {
  switch (event.type) {
    case 'RunCreated':
      return `${who} ${created(event.data)}.`;
    case 'RunDescribed':
      return `${who} ${described(event.data)}.`;
    case 'RunStarted': {
      const { started_at } = event.data;
      const again = before.life === 'present' && before.started_at !== null ? ' again' : '';
      // A submission says itself when its run started.
      const when = started_at === event.meta.at ? '' : `, as of ${started_at}`;
      return `${who} started the run${again}${when}.`;
    }
    case 'RunCompleted':
      return `${who} completed the run${completed(event.data, before)}.`;
    case 'ItemsSubmitted':
      return `${who} submitted ${submitted(event.data)}.`;
    case 'ItemsReceived':
      return 'All results of the submission are recorded.';
    case 'RunRedacted':
      return `${who} redacted the run: ${event.data.reason}`;
    case 'RunPurged':
      return `${who} deleted the run for good.`;
    case 'RunReturnedToPending':
      return `${who} set the run back to pending.`;
  }
}

function created({ label, items, report }: EventData['RunCreated']): string {
  const run = label === null ? 'the run' : `the run ${quoted(label)}`;
  return items === 0 ? `created ${run}` : `submitted ${run} with ${counted(items, 'result')}${cut(report)}`;
}

function submitted({ items, shard, report }: EventData['ItemsSubmitted']): string {
  const results = `${counted(items, 'result')}${cut(report)}`;
  if (shard === null) return `${counted(items, 'result')} to the run${cut(report)}`;
  const again = shard.attempt > 1 ? `, attempt ${shard.attempt}` : '';
  return `shard ${shard.index} of ${shard.total}${again}, with ${results}`;
}

function cut(report: EventData['RunCreated']['report']): string {
  return report === undefined ? '' : ', from a report that is not whole';
}

/** No request changes the description and says something of the run. */
function described(data: EventData['RunDescribed']): string {
  const said = [...saidOfBaseline(data.baseline), ...saidOfPin(data.pinned)];
  if (said.length > 0) return said.join(', and ');
  const changed = descriptionFields.filter((name) => data[name] !== undefined);
  return `changed ${listed(changed.map((name) => `the ${name.replaceAll('_', ' ')}`))} of the run`;
}

function saidOfBaseline(baseline: EventData['RunDescribed']['baseline']): string[] {
  switch (baseline) {
    case 'fit':
      return ['accepted the run as a baseline'];
    case 'unfit':
      return ['set the run aside: it is no baseline'];
    case null:
      return ['left it to the rules whether the run is a baseline'];
    case undefined:
      return [];
  }
}

function saidOfPin(pinned: boolean | undefined): string[] {
  switch (pinned) {
    case true:
      return ['pinned the run: all of it is kept'];
    case false:
      return ['unpinned the run: it is kept as long as others'];
    case undefined:
      return [];
  }
}

function completed({ finished_at, completion, reason }: EventData['RunCompleted'], before: Run): string {
  const again = completion > 1 ? ` again (completion ${completion})` : '';
  if (reason === 'idle') return `${again}, because nothing had happened in it for a long time`;
  if (reason === 'shards') return `${again}, because all its shards have come`;
  const started = before.life === 'present' ? before.started_at : null;
  return again + afterTime(started === null ? null : Date.parse(finished_at) - Date.parse(started));
}
