/** The columns of chunks, and the contents that their items name, both as JSON outside the heap. */
import { splitContents, type HashContent } from '../../domain/contents.js';
import type { Content } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { CHUNK_CHARACTERS, CHUNK_ITEMS } from '../../domain/runs/item-chunk.js';
import { groupOfFailed, type FailureGroup } from '../../domain/test-history/result-facts.js';
import { packTexts } from '../../memory/packed-texts.js';
import { columnNames, columnsJson, columnTexts, emptyColumns } from './item-columns.js';
import type { SubmittedItem } from './submission.js';

export type Packing = {
  /** Failures have no group where it is no id: then nothing is appended either. */
  project_id: string;
  /** Null leaves contents in the data. */
  hash: HashContent | null;
  /** Of one chunk, smaller in tests. */
  most?: { items: number; characters: number };
};

export type PackedChunks = {
  add(item: SubmittedItem): void;
  /** Ends the last chunk. Call it before `firsts` is read, when all items are added. */
  end(): void;
  /** The ordinal of the first item of each chunk. */
  readonly firsts: readonly number[];
  /** The columns of a chunk, as fields of JSON. */
  columns(n: number): string;
  contents(n: number): Content[];
  free(): void;
};

const usual = { items: CHUNK_ITEMS, characters: CHUNK_CHARACTERS };

export function packChunks({ project_id, hash, most = usual }: Packing): PackedChunks {
  const packed = packTexts();
  const firsts: number[] = [];
  const hasGroups = isId('project', project_id);
  let count = 0;
  let columns = emptyColumns();
  let characters = 0;
  /** The hashes of the contents that the chunk names, by their texts. */
  let hashes = new Map<string, string>();

  function endChunk(): void {
    const items = columns.attempt.length;
    if (items === 0) return;
    firsts.push(count - items);
    packed.add(columnsJson(columns));
    packed.add(JSON.stringify([...hashes].map(([text, hash]): Content => ({ hash, text }))));
    columns = emptyColumns();
    characters = 0;
    hashes = new Map();
  }

  return {
    firsts,
    end: endChunk,
    add(item) {
      const group = hasGroups ? groupOfFailed({ project_id, ...item }) : null;
      const { texts, contents } = hash === null ? whole(item, group) : apart(item, group, hash, hashes);
      let size = columnNames.reduce((sum, name) => sum + texts[name].length, 0);
      for (const text of contents.keys()) if (!hashes.has(text)) size += text.length;
      if (columns.attempt.length === most.items || characters + size > most.characters) endChunk();
      for (const name of columnNames) columns[name].push(texts[name]);
      for (const [text, name] of contents) hashes.set(text, name);
      characters += size;
      count += 1;
    },
    columns: (n) => packed.get(2 * n),
    contents: (n) => JSON.parse(packed.get(2 * n + 1)) as Content[],
    free: packed.free,
  };
}

type Texts = { texts: ReturnType<typeof columnTexts>; contents: ReadonlyMap<string, string> };

const none: ReadonlyMap<string, string> = new Map();

function whole(item: SubmittedItem, group: FailureGroup | null): Texts {
  return { texts: columnTexts(item, { group, contents: null }), contents: none };
}

/** `known`: the hashes of texts, since most contents of a chunk are those of the items before. */
function apart(
  item: SubmittedItem,
  group: FailureGroup | null,
  hash: HashContent,
  known: ReadonlyMap<string, string>,
): Texts {
  const { error_message, metadata } = item;
  if (error_message === null && metadata === null && group === null) return whole(item, null);
  const contents = new Map<string, string>();
  const named: HashContent = (text) => {
    const name = known.get(text) ?? hash(text);
    contents.set(text, name);
    return name;
  };
  const { kept, refs } = splitContents({ error_message, metadata }, named);
  const titled = group && { ...group, title: named(JSON.stringify(group.title)) };
  return { texts: columnTexts({ ...item, ...kept }, { group: titled, contents: refs }), contents };
}
