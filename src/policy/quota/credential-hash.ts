import { hash } from 'node:crypto';

const HASH_CHARACTERS = 12;

/** A text in place of a credential: equal for equal ones, so that people can compare without reading it. */
export function credentialHash(value: string): string {
  return `sha256:${hash('sha256', value, 'hex').slice(0, HASH_CHARACTERS)}`;
}

const KEY_ID = /^sha256:[0-9a-f]{64}$/;

/** The text of `credentialHash` for the value of `api.key_id`, which has the whole hash of a known key. */
export function shortKeyId(keyId: string): string {
  return KEY_ID.test(keyId) ? keyId.slice(0, 'sha256:'.length + HASH_CHARACTERS) : keyId;
}
