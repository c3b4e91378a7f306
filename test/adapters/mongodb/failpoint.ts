/** Faults that the server itself makes, for the commands of clients with one application name. */
import { MongoClient, type Document } from 'mongodb';

export type FailPoints = {
  /** From the command after `skip` commands on, or this many `times`. */
  set(mode: { skip: number } | { times: number } | 'alwaysOn', fault: Fault): Promise<void>;
  /** Waits until a command has met the fault. False when none has within the limit. */
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

/** The URL with an application name, by which the server recognizes its client. */
export function namedUrl(url: string, appName: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}appName=${appName}`;
}
