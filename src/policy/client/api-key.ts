import type { HeaderMap } from './header-map.js';
import { firstQueryValue, queryOf } from './request-target.js';

/** Where an API key is found (docs/reference/policy-kinds.md#api-keys APIKey): exactly one member is set. */
export interface ApiKeyConfig {
  readonly query?: string;
  readonly header?: string;
}

/**
 * The places that are searched in this order when no spec defines an APIKey (docs/reference/policy-kinds.md#api-keys).
 */
const DEFAULT_API_KEYS: readonly ApiKeyConfig[] = [{ query: 'key' }, { query: 'api_key' }, { header: 'x-api-key' }];

type KeyPlace = { readonly type: 'query' | 'header'; readonly name: string };

/** Finds the API key of a request. */
export class ApiKeyFinder {
  readonly #places: readonly KeyPlace[];

  /** @param apiKeys of all specs of a service, in order; the default order when there are none */
  constructor(apiKeys: readonly ApiKeyConfig[]) {
    this.#places = (apiKeys.length === 0 ? DEFAULT_API_KEYS : apiKeys).flatMap(placesOf);
  }

  /**
   * The first value that is not empty, in the order of the APIKeys; undefined without a key. A parameter or header that
   * occurs several times has only its first value as the key: otherwise a caller could append values and get a new key
   * with each.
   */
  find(target: string, headers: HeaderMap): string | undefined {
    const query = queryOf(target);
    for (const place of this.#places) {
      const value = place.type === 'header' ? firstValue(headers.get(place.name)) : firstQueryValue(query, place.name);
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  }
}

function placesOf({ query, header }: ApiKeyConfig): readonly KeyPlace[] {
  const places: KeyPlace[] = [];
  if (query !== undefined && query !== '') places.push({ type: 'query', name: query });
  if (header !== undefined && header !== '') places.push({ type: 'header', name: header.toLowerCase() });
  return places;
}

/** Of a header's values, which commas join. */
function firstValue(joined: string | undefined): string | undefined {
  if (joined === undefined || !joined.includes(',')) return joined;
  return joined
    .split(',')
    .map((value) => value.trim())
    .find((value) => value !== '');
}
