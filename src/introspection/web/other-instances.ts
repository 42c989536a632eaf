import { isRecord, parseRecord } from '../../base/record.js';
import { type Html, html } from '../html.js';
import type { Instances, SilentInstance } from '../instances.js';
import type { Views } from '../views.js';

/** A record of a page of another instance. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the other instances of the control plane have told. */
export interface FromOthers<Item> {
  readonly found: readonly Item[];
  /** Instances whose part is missing. */
  readonly silent: readonly SilentInstance[];
}

/**
 * Asks the other instances for the JSON of a page.
 *
 * @param read reads the page of one instance, which may be of another version: absent fields are possible
 */
export function askOthers<Item>(
  { instances }: Views,
  path: string,
  read: (page: Fields, instance: string) => Item,
): Promise<FromOthers<Item>> {
  return askAll(instances, path, read);
}

/** The same for any servers. */
export async function askAll<Item>(
  instances: Instances | undefined,
  path: string,
  read: (page: Fields, instance: string) => Item,
): Promise<FromOthers<Item>> {
  if (instances === undefined) return { found: [], silent: [] };
  const { answers, silent } = await instances.ask({ path, form: 'json' });
  const found: Item[] = [];
  const unreadable: SilentInstance[] = [];
  for (const { name, status, content } of answers) {
    // An instance that does not have the object of the page, for example.
    if (status === 404) continue;
    const page = status < 400 ? parseRecord(content) : undefined;
    if (page === undefined) unreadable.push({ name, reason: status < 400 ? 'the page is not readable' : content });
    else found.push(read(page, name));
  }
  return { found, silent: [...silent, ...unreadable] };
}

/** The texts, numbers and lists of a page of another instance. */
export const textIn = (fields: Fields, name: string): string =>
  typeof fields[name] === 'string' ? (fields[name] as string) : '';
export const numberIn = (fields: Fields, name: string): number =>
  typeof fields[name] === 'number' ? (fields[name] as number) : 0;
export const recordIn = (fields: Fields, name: string): Fields =>
  isRecord(fields[name]) ? (fields[name] as Fields) : {};
/** The beginning of 1970 for what is no time. */
export function dateIn(fields: Fields, name: string): Date {
  const date = new Date(textIn(fields, name));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
export function recordsIn(fields: Fields, name: string): readonly Fields[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
export function textsIn(fields: Fields, name: string): readonly string[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

/**
 * Names the servers that gave no answer. Empty if all did.
 *
 * @param missing what the page lacks of them
 */
export function renderSilent(silent: readonly SilentInstance[], missing: 'proxies' | 'counters' = 'proxies'): Html {
  return html`${silent.map(
    ({ name, reason }) =>
      html`<p class="reason">The ${missing} of <bdi>${name}</bdi> are missing here: <bdi>${reason.slice(0, 400)}</bdi></p>`,
  )}`;
}
