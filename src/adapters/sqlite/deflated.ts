/**
 * JSON in rows is stored deflated. What texts have in common, the names of fields above all, is in a dictionary, so that
 * also a text of a few hundred characters takes a quarter. The dictionary is in the file: a program with another one reads
 * the file all the same.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SqliteDatabase } from './database.js';

/** The statements of a migration that give a file its dictionary. */
export function withDictionary(text: string): string {
  return `CREATE TABLE dictionary (text TEXT NOT NULL);
  INSERT INTO dictionary (text) VALUES ('${text.replaceAll("'", "''")}');`;
}

/** `known`: a text that the reader of a row has anyway, such as its id, which the stored text need not repeat. */
export type DeflatedTexts = {
  stored(text: string, known: string): Uint8Array;
  /** @throws SyntaxError for a damaged row */
  textOf(stored: Uint8Array, known: string): string;
};

/** Of small texts, zlib would reserve 16 KiB for each. Large ones are deflated at the fastest level: other writes wait. */
const [SMALL, LARGE] = [{ chunkSize: 1_024 }, { level: 1 }];
const LEAST_OF_LARGE = 4_096;

export function deflatedTexts(database: SqliteDatabase): DeflatedTexts {
  const [shared] = database.prepare('SELECT text FROM dictionary').raw().get([]) as [string];
  const options = (known: string, characters: number) => ({
    ...(characters < LEAST_OF_LARGE ? SMALL : LARGE),
    dictionary: Buffer.from(known + shared),
  });
  return {
    stored: (text, known) => deflateRawSync(text, options(known, text.length)),
    textOf: (stored, known) => {
      try {
        return inflateRawSync(stored, options(known, stored.length * 4)).toString();
      } catch (cause) {
        throw new SyntaxError('a row cannot be inflated', { cause });
      }
    },
  };
}
