import { isRecord } from '../../base/record.js';
import type { ApiClient, RequestLimits } from '../client/api-client.js';
import { ApiError } from '../client/api-error.js';
import { isRawObject, type RawObject } from './raw-object.js';

/** Objects per request: a page is parsed in one go, which takes some 20 ms for 500 pods. */
const PAGE_SIZE = 500;

export interface ListHandlers {
  /** Some of the objects. */
  onPage(objects: readonly RawObject[]): void;
  /** Texts of Warning headers. */
  onWarnings(warnings: readonly string[]): void;
}

/**
 * Lists all objects in pages, in their present state: without a resource version, a lagging API server must not answer
 * from its cache.
 *
 * @returns the resource version to watch from
 * @throws ApiError with status 410 when the API server forgot the rest of the list meanwhile
 */
export async function listObjects(
  api: ApiClient,
  path: string,
  limits: RequestLimits,
  { onPage, onWarnings }: ListHandlers,
): Promise<string> {
  let continueToken: string | undefined;
  for (;;) {
    const { body, warnings } = await api.getJson(path, { limit: PAGE_SIZE, continue: continueToken }, limits);
    limits.signal.throwIfAborted();
    const { items, resourceVersion, next } = readList(body);
    onWarnings(warnings);
    onPage(items);
    if (next === '') return resourceVersion;
    continueToken = next;
  }
}

interface ListPage {
  readonly items: readonly RawObject[];
  readonly resourceVersion: string;
  readonly next: string;
}

function readList(body: unknown): ListPage {
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  const { resourceVersion, continue: next } = metadata;
  // An API server can send null for an empty list.
  const items: unknown = isRecord(body) ? (body['items'] ?? []) : undefined;
  if (!Array.isArray(items) || typeof resourceVersion !== 'string' || !items.every(isRawObject)) {
    throw new ApiError(502, { message: 'the API server answered with something that is no list' });
  }
  return { items, resourceVersion, next: typeof next === 'string' ? next : '' };
}
