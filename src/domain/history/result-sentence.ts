/** What happened to a result and its artifacts, in one sentence of plain English for each event. */
import { findArtifact } from '../artifact/artifact.js';
import type { Happened } from '../decider.js';
import type { EventData, ResultEvent } from '../events.js';
import type { Result } from '../results/result.js';
import { afterTime, listed, quoted, statusPhrases } from './words.js';
import { counted } from '../text/amounts.js';

/**
 * `who` is the subject of the sentence, `before` the result before the event. A new type of event does not compile without
 * its sentence.
 */
export function resultSentence(event: Happened<ResultEvent>, who: string, before: Result): string {
  switch (event.type) {
    case 'ResultCreated':
      return `${who} ${created(event.data)}.`;
    case 'ResultSubmitted':
      return `${who} ${submitted(event.data)}.`;
    case 'ResultStarted': {
      const again = before.life === 'present' && before.started_at !== null ? ' again' : '';
      return `${who} started the result${again}.`;
    }
    case 'ResultFinished': {
      const { status, execution_time_ms } = event.data;
      return `${who} finished the result as ${statusPhrases[status]}${afterTime(execution_time_ms)}.`;
    }
    case 'ResultUpdated':
      return `${who} ${updated(event.data)}.`;
    case 'ResultDeleted':
      return `${who} deleted the result.`;
    case 'ResultRedacted':
      return `${who} redacted the result: ${event.data.reason}`;
    case 'ResultRetryClaimed':
      return `${who} retried the result: the retry is ${event.data.retry_id}.`;
    case 'ResultVoided':
      return `${who} gave up the id before a result was recorded under it.`;
    case 'ArtifactCreated': {
      const { label, kind, size_bytes } = event.data;
      return `${who} announced the artifact ${quoted(label)} (${kind}, ${counted(size_bytes, 'byte')}).`;
    }
    case 'ArtifactConfirmed':
      return `${who} uploaded the artifact ${artifactName(event.data, before)}.`;
    case 'ArtifactDeleted':
      return `${who} deleted the artifact ${artifactName(event.data, before)}${deletions[event.data.reason]}.`;
  }
}

function created({ test_name, status, attempt, retry_of }: EventData['ResultCreated']): string {
  const retry = retry_of === null ? '' : `, a retry of ${retry_of}`;
  return `created the result of the test ${quoted(test_name)} as ${statusPhrases[status]}${ofAttempt(attempt)}${retry}`;
}

function submitted(data: EventData['ResultSubmitted']): string {
  const { test_name, status, execution_time_ms, attempt, superseded_by } = data;
  const outcome = `${statusPhrases[status]}${afterTime(execution_time_ms)}${ofAttempt(attempt)}`;
  const superseded = superseded_by === null ? '' : `, superseded by ${superseded_by}`;
  return `submitted the result of the test ${quoted(test_name)} with its run, as ${outcome}${superseded}`;
}

function ofAttempt(attempt: number): string {
  return attempt === 1 ? '' : ` in attempt ${attempt}`;
}

type Ids = 'result_id' | 'project_id' | 'run_id' | 'test_name';
type Updated = Exclude<keyof EventData['ResultUpdated'], Ids | 'previous_status' | 'status' | 'contents'>;

const names = {
  error_message: 'error message',
  metadata: 'metadata',
  started_at: 'start',
  finished_at: 'end',
  execution_time_ms: 'duration',
} as const satisfies Record<Updated, string>;

function updated(data: EventData['ResultUpdated']): string {
  const { previous_status, status } = data;
  const fields = Object.keys(names) as (keyof typeof names)[];
  const more = fields.filter((name) => data[name] !== undefined).map((name) => names[name]);
  if (status === previous_status) return `changed the ${listed(more)} of the result`;
  const moved = `changed the result from ${statusPhrases[previous_status]} to ${statusPhrases[status]}`;
  return more.length === 0 ? moved : `${moved}, and its ${listed(more)}`;
}

const deletions = {
  requested: '',
  result_deleted: ' with its result',
  expired: ', because it had expired',
  never_confirmed: ', because its upload was never confirmed',
  redacted: ', because its result was redacted',
} as const satisfies Record<EventData['ArtifactDeleted']['reason'], string>;

/** Its label; its id where the result has no such artifact. */
function artifactName({ artifact_id }: { artifact_id: string }, before: Result): string {
  const artifact = before.life === 'present' ? findArtifact(before, artifact_id) : undefined;
  return artifact === undefined ? artifact_id : quoted(artifact.label);
}
