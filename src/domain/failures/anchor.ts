/** What makes failures the same. */
import { fromUUID, toUUIDBytes, type TypeId } from 'typeid-js';
import { v5 } from 'uuid';
import type { UnderstoodResult } from '../understood.js';

export type AnchorKind = 'hook' | 'selector' | 'frame' | 'message';
export type Anchor = { kind: AnchorKind; key: string; title: string };
export const ANCHOR_VERSION = 1;

export function anchorOf({ error }: UnderstoodResult): Anchor {
  const title = (error?.message ?? '(no message)').split('\n')[0]!.slice(0, 255);
  return { kind: 'message', key: title, title };
}

export function groupIdOf(projectId: string, { kind, key }: Anchor): string {
  const project = toUUIDBytes(projectId as unknown as TypeId<string>);
  return fromUUID(v5(`${ANCHOR_VERSION}/${kind}/${key}`, project), 'group');
}
