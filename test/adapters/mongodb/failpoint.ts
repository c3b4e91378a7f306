/** Faults made by the server itself, for the commands of clients of one application name. */
import { MongoClient, type Document } from 'mongodb';

export type FailPoints = {
  /** From the command after `skip` commands on, or so many `times`. */
  set(mode: { skip: number } | { times: number } | 'alwaysOn', fault: Fault): Promise<void>;
  /** Waits until a command has met the fault. False when none has after the time. */
  met(limitMs: number): Promise<boolean>;
  off(): Promise<void>;
  close(): Promise<void>;
};

export type Fault = Document & { failCommands: string[]; appName: string };

/** Every command that an adapter sends. */
export const everyCommand = [
  'aggregate',
  'commitTransaction',
  'createIndexes',
  'delete',
  'drop',
  'find',
  'findAndModify',
  'insert',
  'killSessions',
  'update',
];

export function openFailPoints(url: string): FailPoints {
  const client = new MongoClient(url);
  const admin = client.db('admin');
  let entered = 0;
  return {
    set: async (mode, data) => {
      const { count } = await admin.command({ configureFailPoint: 'failCommand', mode, data });
      entered = Number(count);
    },
    met: async (limitMs) => {
      try {
        await admin.command({
          waitForFailPoint: 'failCommand',
          timesEntered: entered + 1,
          maxTimeMS: limitMs,
        });
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 50) return false;
        throw error;
      }
    },
    off: async () => void (await admin.command({ configureFailPoint: 'failCommand', mode: 'off' })),
    close: () => client.close(),
  };
}

/** The url, with a name by which its client is told from others. */
export function namedUrl(url: string, appName: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}appName=${appName}`;
}
