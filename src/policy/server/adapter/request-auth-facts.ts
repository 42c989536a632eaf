import { isRecord } from '../../../base/record.js';
import type { RequestAuthFacts } from '../../client/http-attributes.js';
import { JWT_METADATA_NAMESPACE } from '../../wire/call-metadata.js';
import type { WireMetadata } from './envoy-messages.js';
import { type JsonValue, jsonOfStruct, jsonOfText } from './wire-values.js';

/**
 * The facts of a verified token (docs/reference/policy-client.md#http-attributes). The token with the first key counts.
 * Undefined without a verified token.
 */
export function requestAuthFacts(metadata: WireMetadata | null | undefined): RequestAuthFacts | undefined {
  const verified = metadata?.filterMetadata?.[JWT_METADATA_NAMESPACE];
  return verified && authFactsOf(jsonOfStruct(verified));
}

/** The same from the JSON of the metadata; undefined for a text that is no JSON of an object. */
export function authFactsOfJson(text: string): RequestAuthFacts | undefined {
  const verified = jsonOfText(text);
  return isRecord(verified) ? authFactsOf(verified as JsonObject) : undefined;
}

function authFactsOf(verified: JsonObject): RequestAuthFacts | undefined {
  const payload = firstPayload(verified);
  if (payload === undefined) return undefined;
  const issuer = nonEmptyString(payload['iss']);
  const subject = nonEmptyString(payload['sub']);
  const audiences = stringsIn(payload['aud']);
  const presenter = nonEmptyString(payload['azp']);
  return {
    ...(issuer !== undefined && subject !== undefined && { principal: `${issuer}/${subject}` }),
    ...(audiences.length > 0 && { audiences }),
    ...(presenter !== undefined && { presenter }),
    rawClaims: JSON.stringify(payload),
    claims: claimsOf(payload),
  };
}

type JsonObject = { readonly [key: string]: JsonValue };

/**
 * Payloads are stored by provider, beside headers of tokens and texts. A payload is an object with an issuer or a
 * subject.
 */
function firstPayload(fields: JsonObject): JsonObject | undefined {
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    if (isRecord(value) && (Object.hasOwn(value, 'iss') || Object.hasOwn(value, 'sub'))) return value;
  }
  return undefined;
}

/** Claims with texts, and with lists of texts, which commas join. */
function claimsOf(payload: JsonObject): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  for (const [name, value] of Object.entries(payload)) {
    const texts = stringsIn(value);
    if (texts.length > 0) claims.set(name, texts.join(','));
  }
  return claims;
}

function nonEmptyString(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
