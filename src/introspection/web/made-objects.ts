import { appendTo } from '../../base/append-to.js';
import type { ObjectKey } from '../../config/object.js';
import { memoize } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import { type Html, html } from '../html.js';
import { compareText } from '../order.js';
import { joined, objectLink } from './pieces.js';

/** Objects that a page names. */
const MAX_OBJECTS = 100;
const NONE: readonly ObjectKey[] = [];

/** The objects that the control plane made from an object, such as the Gateway of an Ingress; sorted by key. */
export function objectsMadeFrom(context: PushContext, key: ObjectKey): readonly ObjectKey[] {
  return madeFrom(context).get(key) ?? NONE;
}

const madeFrom = memoize(({ objects }: PushContext): ReadonlyMap<ObjectKey, readonly ObjectKey[]> => {
  const index = new Map<ObjectKey, ObjectKey[]>();
  for (const table of objects.values()) {
    for (const [key, { derivedFrom = [] }] of table) for (const source of derivedFrom) appendTo(index, source, key);
  }
  for (const list of index.values()) list.sort(compareText);
  return index;
});

/** Links to the objects at the other end; nothing for an object that is neither made from others nor a source. */
export function renderMaking(sources: readonly ObjectKey[], made: readonly ObjectKey[]): Html {
  if (sources.length + made.length === 0) return html``;
  const list = (title: string, keys: readonly ObjectKey[]): Html => {
    if (keys.length === 0) return html``;
    const more = keys.length > MAX_OBJECTS ? ` and ${keys.length - MAX_OBJECTS} more` : '';
    return html`<dt>${title}</dt><dd>${joined(keys.slice(0, MAX_OBJECTS).map((key) => objectLink(key)))}${more}</dd>`;
  };
  return html`<h2>Made by the control plane</h2><dl>${list('From', sources)}${list('Objects made from it', made)}</dl>`;
}
