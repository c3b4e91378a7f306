/** Uploads the files of an import whose results are there already: an earlier command may have been stopped before them. */
import { unwrap, type Client, type SubmitItem } from '../../client/index.js';
import type { Call, Calls } from './calls.js';
import type { RunDescription } from './describe-run.js';
import { keyOf } from './submit-call.js';
import type { Survey } from './survey.js';
import { uploadFiles, type Uploading, type Uploads } from './upload-files.js';

export type Resuming = Uploading & {
  project: string;
  survey: Survey;
  description: RunDescription;
  calls: Calls;
};

/** @throws TestledgerError */
export async function uploadMissing(resuming: Resuming, runId: string, uploads: Uploads): Promise<void> {
  const { client, project, survey, description, calls } = resuming;
  if (survey.counts.attachments === 0) return;
  for await (const call of calls.all(survey.retried)) {
    if (!(await hasFiles(call))) continue;
    const resultId = await idsBefore(client, runId, call);
    if (resultId === null) {
      for await (const group of call.files())
        for (const { attachments } of group)
          uploads.leaveOut('its result was not found', attachments[0]!.name, attachments.length);
      continue;
    }
    await uploadFiles(resuming, call, {
      resultId,
      key: keyOf(project, description, call),
      isRepeat: true,
      uploads,
    });
  }
}

async function hasFiles(call: Call): Promise<boolean> {
  for await (const group of call.files()) if (group.length > 0) return true;
  return false;
}

/** Results of a call that are looked for until one is found. */
const MOST_TRIES = 10;

/**
 * The ids of the results of a call that an earlier command sent, by their places. One of its results is found by its name
 * and its place, and the others begin with the same prefix. Null where none is found.
 */
export async function idsBefore(
  client: Client,
  id: string,
  { items }: Call,
): Promise<((place: number) => string) | null> {
  const sent = JSON.parse(`[${items.toString()}]`) as SubmitItem[];
  for (const place of placesToTry(sent)) {
    const { name } = sent[place]!;
    const { data } = await unwrap(
      client.GET('/v1/test-runs/{id}/results', {
        params: { path: { id }, query: { q: name, per_page: 100 } },
      }),
    );
    const prefixes = data
      .filter((result) => result.name === name && result.id.endsWith(`_${place}`))
      .map((result) => result.id.slice(0, -String(place).length));
    const [prefix, ...others] = prefixes;
    if (prefix !== undefined && others.length === 0) return (n) => `${prefix}${n}`;
  }
  return null;
}

/** The search leaves out results that are superseded, so those with one attempt come first. */
function placesToTry(sent: readonly SubmitItem[]): number[] {
  const places = sent.flatMap(({ attempt }, place) => (attempt === undefined ? [place] : []));
  const last = sent.map((_, place) => sent.length - 1 - place).slice(0, MOST_TRIES);
  return [...new Set([...places.slice(0, MOST_TRIES), ...last])];
}
