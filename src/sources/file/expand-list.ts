import { isRecord } from '../../base/record.js';

/** One object of a document, with the path to it: empty, or `items[3]`. */
export interface ListedObject {
  readonly raw: unknown;
  readonly path: string;
}

/**
 * The objects of a document: the document itself, or the items of a List as `kubectl get -o yaml` writes it. Items of a
 * typed list (`ServiceList`) can leave out the kind and version, which the list implies.
 */
export function expandList(value: unknown): readonly ListedObject[] {
  if (!isRecord(value)) return [{ raw: value, path: '' }];
  const { kind, apiVersion, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ raw: value, path: '' }];
  const implied = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.flatMap((item: unknown, index) => {
    const raw = isRecord(item) ? { ...implied, ...item } : item;
    return expandList(raw).map((each) => ({
      raw: each.raw,
      path: each.path === '' ? `items[${index}]` : `items[${index}].${each.path}`,
    }));
  });
}
