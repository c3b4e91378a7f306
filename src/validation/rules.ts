/** The rules that JSON Schema has no words for: the formats and the keyword of `schemas/`. */
import { isMaxRemoved } from '../domain/gate/judge-gate.js';
import { isDay, normaliseInstant } from '../domain/instant.js';
import { isRetention } from '../domain/retention.js';
import { isText, jsonFault } from './json-limits.js';
import { isMediaType } from './media-type.js';

/** A generated validator gets them as an argument and calls them by these names. */
export const rules = {
  formats: {
    day: { type: 'string', validate: isDay },
    instant: { type: 'string', validate: (text: string) => normaliseInstant(text) !== null },
    maxRemoved: { type: 'string', validate: isMaxRemoved },
    mediaType: { type: 'string', validate: isMediaType },
    repoUrl: { type: 'string', validate: (text: string) => /^https?:\/\/[^\s?#@]+$/.test(text) },
    retention: { type: 'string', validate: isRetention },
    retentionOrEver: { type: 'string', validate: (text: string) => text === 'forever' || isRetention(text) },
    text: { type: 'string', validate: isText },
  },
  /** For the keyword `x-json`. */
  jsonFault,
} as const;

export type Rules = typeof rules;
