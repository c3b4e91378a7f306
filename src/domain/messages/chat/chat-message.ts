/**
 * A message of a chat before it has the form of one. Takes: the payload of a message. Gives: lines of plain texts and links. No
 * text of a report makes a mention, a link or markup, in whichever chat.
 */
import { keyOfEnvironment } from '../../environment.js';
import { number } from '../../text/amounts.js';
import { asChatText } from '../../text/harmless.js';
import { understoodRun } from '../../understood.js';
import type { MessageType } from '../message-types.js';
import { wordsOf, type Item, type ToldData, type Words } from './words.js';

/** A text, or a link with its text. */
export type Span = { text: string; url?: string };
export type Link = Required<Span>;
export type Line = readonly Span[];

export type ChatMessage = {
  /** The title as it was told, for a place that has other rules for texts. */
  told: string;
  title: Link;
  lines: readonly Line[];
  items: readonly Line[];
  /** A link to what was left out after the first items; null where nothing was. */
  rest(shown: number): Link | null;
};

/** `origin`: of this server. `team`: to which the message belongs. */
export type Pages = { origin: string; team: string };

const LENGTHS = { title: 120, name: 50, text: 250, item: 90 };

export function chatMessage(type: MessageType, data: ToldData, { origin, team }: Pages): ChatMessage {
  const words = wordsOf(type, data, team);
  const link = (text: string, path: string, length: number): Link => ({
    // A name may be of unseen characters alone.
    text: asChatText(text, length) || '(no name)',
    url: `${origin}/${path}`,
  });
  const itemLine = ({ title, path, more }: Item): Line => [
    link(title, path, LENGTHS.item),
    ...(more === undefined ? [] : [{ text: ` · ${more}` }]),
  ];
  const text = textLine([words.text ?? ''], LENGTHS.text);
  return {
    told: words.title,
    title: link(words.title, words.path, LENGTHS.title),
    lines: [placeLine(data, link), text].filter(({ length }) => length > 0),
    items: (words.items ?? []).map(itemLine),
    rest(shown) {
      const left = restText(words, shown);
      return left === null ? null : link(left, words.path, LENGTHS.name);
    },
  };
}

function restText({ items = [], total = items.length }: Words, shown: number): string | null {
  if (total === null) return 'and more';
  if (total <= shown) return null;
  return shown === 0 ? 'all of them' : `and ${number(total - shown)} more`;
}

/** Where it happened: the project, the run, the branch, the environment, the owners. */
function placeLine(data: ToldData, link: (text: string, path: string, length: number) => Link): Line {
  const { project, run, result, environment, owners = [] } = data;
  const { branch, environment_key } = understoodRun(run?.metadata ?? result?.metadata ?? null);
  const key = environment === undefined ? environment_key : keyOfEnvironment(environment);
  const texts = [branch ?? '', key, owners.length === 0 ? '' : `of ${owners.join(', ')}`];
  const runs = run == null ? [] : [link(`run ${run.label ?? ''}`, `runs/${run.test_run_id}`, LENGTHS.name)];
  const spans = [...textLine([project?.name ?? ''], LENGTHS.name), ...runs, ...textLine(texts, LENGTHS.name)];
  return spans.flatMap((span, n) => (n === 0 ? [span] : [{ text: ' · ' }, span]));
}

/** Those of the texts that have something to see. */
function textLine(texts: readonly string[], length: number): Span[] {
  return texts.map((text) => ({ text: asChatText(text, length) })).filter(({ text }) => text !== '');
}
