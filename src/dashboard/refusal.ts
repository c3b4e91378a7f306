/** What a form shows where the API has refused it. */
import { isLedgerError } from '../errors.js';

/** The reasons for each field, else that of the whole. @throws the error itself where it is a fault of the server */
export function refusalOf(error: unknown): string {
  if (!isLedgerError(error) || error.code === 'internal') throw error;
  const fields = error.fields.map(({ pointer, detail }) => `${pointer.replace(/^[/?]/, '')} ${detail}`);
  return fields.length === 0 ? error.message : `${fields.join('; ').replaceAll('_', ' ')}.`;
}
