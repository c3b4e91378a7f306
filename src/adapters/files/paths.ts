/** Where things are below the folder of blobs. Names are made of ids of ours, which are checked once more. */
import { dirname, join } from 'node:path';
import type { BlobPlace } from '../../ports/blobs.js';
import { UPLOAD } from '../../artifacts/blob-urls.js';
import { isId } from '../../domain/ids.js';
import { fail } from '../../errors.js';

/** What a file is called that was kept: its inode and its last change. */
const version = /^[\da-z]{1,20}-[\da-z]{1,20}$/;

export type Places = {
  /** On the same file system as all places: a rename moves a file from here. */
  temporary: string;
  folderOf(place: BlobPlace): string;
  uploadIn(folder: string): string;
  /** A place's folder and those above it, up to that of all blobs: each holds the name of the one before. */
  chainOf(folder: string): string[];
  find(place: BlobPlace, version: string): { root: string; path: string };
};

export function openPlaces(root: string): Places {
  return {
    temporary: join(root, 'tmp'),
    folderOf: (place) => join(root, below(place)),
    uploadIn: (folder) => join(folder, UPLOAD),
    chainOf: (folder) => [folder, dirname(folder), dirname(dirname(folder)), root],
    find(place, name) {
      if (!version.test(name)) fail('not_found', 'There is no such file.');
      return { root, path: join(below(place), name) };
    },
  };
}

/** The end of an id is its random part: it spreads a team's artifacts evenly over 1,024 folders. */
function below({ team, artifact }: BlobPlace): string {
  if (!isId('team', team) || !isId('artifact', artifact)) fail('not_found', 'There is no such file.');
  return join(team, artifact.slice(-2), artifact);
}
