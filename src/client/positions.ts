/** Where a consumer of events keeps its position. */
import { open, readFile, rename } from 'node:fs/promises';

export type PositionStore = {
  /** Returns the position that was saved last; null for none. */
  load(): Promise<string | null>;
  save(position: string): Promise<void>;
};

/** Keeps the position in a file for one consumer. After a crash the file has the old position or the new one. */
export function positionFile(path: string): PositionStore {
  return {
    async load() {
      try {
        return (await readFile(path, 'utf8')).trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async save(position) {
      const beside = `${path}.new`;
      const file = await open(beside, 'w');
      try {
        await file.writeFile(`${position}\n`);
        // Without it, a crash of the machine can leave the new name with no content.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
    },
  };
}
