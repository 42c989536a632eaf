import type { AttributeBag } from '../../client/attribute-bag.js';
import { decodePercent } from '../../client/percent-text.js';
import { credentialHash, shortKeyId } from '../../quota/credential-hash.js';
import { CREDENTIAL_HEADERS, CREDENTIAL_PARAMETERS } from '../../quota/credential-names.js';
import { stringAttributeOf } from './report-series.js';

/** Hides the credentials in attributes. */
export interface Redaction {
  /** The text of an attribute. */
  text(name: string, value: string): string;
  /** One entry of a map. */
  entry(name: string, key: string, value: string): string;
}

const TARGETS: ReadonlySet<string> = new Set(['request.path', 'request.referer']);

/** Hides the API key of the bag everywhere, and all values with the names of credentials. */
export function createRedaction(bag: AttributeBag): Redaction {
  const apiKey = stringAttributeOf(bag, 'request.api_key');
  return {
    text: (name, value) => {
      if (name === 'request.api_key') return credentialHash(value);
      if (name === 'api.key_id' || name === 'api.consumer') return shortKeyId(value);
      return TARGETS.has(name) ? redactQuery(value, apiKey) : value;
    },
    entry: (name, key, value) => {
      if (value === apiKey) return credentialHash(value);
      if (name === 'request.query_params') return CREDENTIAL_PARAMETERS.has(key) ? credentialHash(value) : value;
      if (!name.endsWith('.headers')) return value;
      if (CREDENTIAL_HEADERS.has(key)) return credentialHash(value);
      return key === 'referer' || key === 'x-envoy-original-path' ? redactQuery(value, apiKey) : value;
    },
  };
}

/** A request target or an address with hidden credentials in its query. */
function redactQuery(target: string, apiKey: string | undefined): string {
  const start = target.indexOf('?');
  if (start === -1) return target;
  const pairs = target
    .slice(start + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return pair;
      const value = decodePercent(pair.slice(equals + 1));
      const isCredential = value === apiKey || CREDENTIAL_PARAMETERS.has(decodePercent(pair.slice(0, equals)));
      return isCredential ? `${pair.slice(0, equals)}=${credentialHash(value)}` : pair;
    });
  return `${target.slice(0, start)}?${pairs.join('&')}`;
}
