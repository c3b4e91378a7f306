/** The text of an artifact for a program: its beginning and its end, because a log says at its end what went wrong. */
import { isUtf8 } from 'node:buffer';
import { artifactDocuments } from '../../projections/records/artifacts.js';
import { cleaned } from '../domain/text/harmless.js';
import type { KeyEntry } from '../keys/api-keys.js';
import type { Blobs } from '../ports/blobs.js';
import type { TeamViews } from '../queries/team-views.js';
import { ToolError } from './tool.js';

/** All of a file is read, so that a larger one is not. */
const MOST_BYTES = 4 * 1_024 * 1_024;
/** Of JSON, in which a character can take several bytes. */
const SHOWN_BYTES = 17_000;

export type ReadArtifactText = (key: KeyEntry, id: string) => Promise<object>;

/** For an artifact that was found by the API before. */
export function openArtifactText(
  views: Pick<TeamViews, 'get'>,
  blobs: Pick<Blobs, 'read'>,
): ReadArtifactText {
  return async (key, id) => {
    const { artifact_id, label, content_type, size_bytes, stored_as } = await views.get(
      artifactDocuments,
      key,
      id,
    );
    if (size_bytes > MOST_BYTES)
      throw new ToolError(
        'artifact_id',
        `The artifact has ${size_bytes} bytes, more than ${MOST_BYTES}: download it.`,
        'too_large',
      );
    const bytes =
      stored_as === null ? null : await blobs.read({ team: key.team_id, artifact: artifact_id }, stored_as);
    if (bytes === null) throw new ToolError('artifact_id', 'There is no such artifact.', 'not_found');
    if (!isUtf8(bytes) || bytes.includes(0))
      throw new ToolError('artifact_id', `The artifact is no text: its type is ${content_type}.`, 'not_text');
    const text = cleaned(Buffer.from(bytes).toString('utf8'));
    return { artifact_id, label: label.slice(0, 255), content_type, size_bytes, ...endsOf(text) };
  };
}

function endsOf(text: string): object {
  if (bytesOf(text) <= SHOWN_BYTES) return { text };
  const half = (from: (count: number) => string) => {
    let count = SHOWN_BYTES / 2;
    while (bytesOf(from(count)) > SHOWN_BYTES / 2) count = Math.floor(count * 0.8);
    return from(count).toWellFormed();
  };
  const beginning = half((count) => text.slice(0, count));
  const end = half((count) => text.slice(-count));
  return { beginning, left_out_characters: text.length - beginning.length - end.length, end };
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
