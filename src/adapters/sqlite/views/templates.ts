/** The templates of packed documents: those in the file, and those that a writer makes. */
import { LRUCache } from 'lru-cache';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { SqliteDatabase } from '../database.js';
import {
  packed,
  packingTemplate,
  readingTemplates,
  templateFor,
  type PackingTemplate,
  type ReadingTemplate,
  type Template,
} from './packing.js';

export type TemplateTable = {
  /** Null where there is none: the build was dropped. */
  of(projection: string, build: number, id: number): Template | null;
  /** The number of the next one. */
  next(projection: string, build: number): number;
  /** Does nothing where it is there. @throws LedgerError `internal` where another one has its number */
  add(projection: string, build: number, template: Template): void;
};

export function templateTable(database: SqliteDatabase): TemplateTable {
  const ofBuild = 'FROM templates WHERE projection = ? AND build = ?';
  const select = database.prepare(`SELECT id, collection, text ${ofBuild} AND id = ?`);
  const last = database.prepare(`SELECT max(id) ${ofBuild}`).raw();
  const insert = database.prepare(
    `INSERT INTO templates (projection, build, id, collection, text) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (projection, build, id) DO NOTHING`,
  );
  const of = (projection: string, build: number, id: number) =>
    (select.get([projection, build, id]) as Template | undefined) ?? null;
  return {
    of,
    next: (projection, build) => ((last.get([projection, build]) as [number | null])[0] ?? 0) + 1,
    add: (projection, build, template) => {
      const { id, collection, text } = template;
      insert.run([projection, build, id, collection, text]);
      const stored = of(projection, build, id);
      if (stored?.text !== text || stored.collection !== collection)
        fail('internal', `another writer made template ${id}`);
    },
  };
}

/** Each takes some 2 KiB. To read one from the file costs more than all else of a GET. */
const MOST_CACHED = 2_000;

/** The prepared template of a number, for each collection; null where the build was dropped. */
export type TemplatesOf = (collection: CollectionSpec) => (id: number) => ReadingTemplate | null;

/** The templates of a build's collections, from the file, prepared for reading. Templates do not change. */
export function cachedTemplates(table: TemplateTable, projection: string, build: number): TemplatesOf {
  const cache = new LRUCache<number, ReadingTemplate>({ max: MOST_CACHED });
  return (collection) => {
    const prepare = readingTemplates(collection);
    return (id) => {
      const known = cache.get(id);
      if (known !== undefined) return known;
      const template = table.of(projection, build, id);
      if (template === null) return null;
      if (template.collection !== collection.name)
        fail('internal', `template ${id} is not one of ${collection.name}`);
      const prepared = prepare(template);
      cache.set(id, prepared);
      return prepared;
    };
  };
}

export type Packer = {
  /** The text to store for a document. */
  pack(collection: CollectionSpec, id: string, document: Document, isNew: boolean): string;
  /** The templates that may not be in the file yet: a commit brings them along. */
  unstored(): readonly Template[];
  /** The file has them. */
  stored(templates: readonly Template[]): void;
};

/** How many templates of a collection are tried for a document. Its documents have few sets of fields. */
const TRIED = 16;
/** Where they have more, one document in this number gets a template all the same. */
const MISSES_PER_TEMPLATE = 100;

/** A value must last longer than this number of documents: many in a row have the same instant, and then no other has it. */
const LASTING = 256;

/**
 * `repeated`: the characters that its new documents wrote although an earlier one, `previous`, had the same. When they
 * come to twice the size of a template, another one takes its place. So templates stay a small part of the file, and few
 * enough to be kept in memory. Documents that are written again do not count: there is no limit to how often that happens.
 */
type UsedTemplate = PackingTemplate & { previous: Document; added: number; repeated: number; size: number };

type Recent = { templates: UsedTemplate[]; misses: number };

/** Packs the documents of a build, and makes a template where none fits. */
export function documentPacker(table: TemplateTable, spec: ProjectionSpec, build: number): Packer {
  const recent = new Map<string, Recent>();
  const unstored = new Map<number, Template>();
  let next = table.next(spec.name, build);

  return {
    pack(collection, id, document, isNew) {
      const own = recentOf(collection.name);
      const { templates } = own;
      for (let n = 0; n < templates.length; n += 1) {
        const template = templates[n]!;
        const done = packed(template, id, document, isNew ? template.previous : null);
        if (done === null) continue;
        if (isNew) {
          template.added += 1;
          if (template.added % LASTING === 0) template.previous = document;
          template.repeated += done.repeated;
        }
        const isUsedUp = template.repeated > template.size * 2;
        if (n > 0 || isUsedUp) templates.splice(n, 1);
        if (isUsedUp) break;
        if (n > 0) templates.unshift(template);
        return done.text;
      }
      const added = templates.length < TRIED || isDue(own) ? newTemplate(collection, id, document) : null;
      if (added === null) return JSON.stringify(document);
      templates.unshift(added);
      templates.length = Math.min(templates.length, TRIED);
      return packed(added, id, document)?.text ?? JSON.stringify(document);
    },
    unstored: () => [...unstored.values()],
    stored: (templates) => templates.forEach(({ id }) => unstored.delete(id)),
  };

  function recentOf(collection: string): Recent {
    const known = recent.get(collection) ?? { templates: [], misses: 0 };
    recent.set(collection, known);
    return known;
  }

  function newTemplate(collection: CollectionSpec, id: string, document: Document): UsedTemplate | null {
    const text = templateFor(id, document);
    if (text === null) return null;
    const template = { id: next, collection: collection.name, text };
    next += 1;
    unstored.set(template.id, template);
    return {
      ...packingTemplate(collection, template),
      previous: document,
      added: 0,
      repeated: 0,
      size: text.length,
    };
  }
}

function isDue(recent: Recent): boolean {
  recent.misses += 1;
  return recent.misses % MISSES_PER_TEMPLATE === 0;
}
