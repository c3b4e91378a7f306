/** `testledger upload`: a file as an artifact of a result. */
import { access, constants } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { reasonOf } from '../../errors.js';
import { withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { maskedText, noMasker, openMasker } from '../../client/masking/masker.js';
import { maskOption } from '../import/flags.js';
import { serverFlags, type ServerFlags } from '../server.js';

const kinds = ['Log', 'Image', 'Video', 'Other'] as const;

type Flags = ServerFlags & {
  file: string;
  result: string;
  label: string | undefined;
  kind: (typeof kinds)[number] | undefined;
  'content-type': string | undefined;
  step: string | undefined;
  mask: boolean;
};

/** An upload takes long; a CI job waits for a server that restarts. */
const REPEAT_FOR_MS = 60_000;

export const uploadCommand = command<Flags>({
  command: 'upload <file>',
  describe: 'Upload a file as an artifact of a result',
  flags: (parser) =>
    serverFlags(parser)
      .positional('file', { type: 'string', demandOption: true, describe: 'The path of the file' })
      .option('result', { type: 'string', demandOption: true, describe: 'The id of the result' })
      .option('label', { type: 'string', describe: 'A name for people, by default that of the file' })
      .option('kind', { type: 'string', choices: kinds, describe: 'By default by the type of the file' })
      .option('content-type', { type: 'string', describe: 'By default by the extension of the file' })
      .option('step', { type: 'string', describe: 'The step of the test that the file belongs to' })
      .option('mask', maskOption),
  run: async ({ file, result, label = basename(file), step, mask, ...flags }, terminal) => {
    await access(file, constants.R_OK).catch((error: unknown) =>
      failWith('file_unreadable', reasonOf(error)),
    );
    const contentType = flags.contentType ?? contentTypeOf(file);
    const masker = mask ? openMasker() : noMasker;
    const upload = { path: file, resultId: result, label, kind: flags.kind, contentType };
    const artifact = await withClient(
      flags,
      (client) =>
        client.uploadArtifact(
          { ...upload, ...(step !== undefined && { testStep: masker.text(step) }) },
          { masker },
        ),
      { repeatForMs: REPEAT_FOR_MS },
    );
    const masked = maskedText(masker.found());
    if (masked !== null) terminal.note(masked);
    terminal.result({ artifact, masked: masker.found() }, [artifact.artifact_id]);
    return exitCodes.ok;
  },
});

/** Those that test runners write. A table, because the type is a hint for people who open the file. */
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.har': 'application/json',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

function contentTypeOf(file: string): string {
  return contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream';
}
