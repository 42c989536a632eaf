import { hash } from 'node:crypto';

const HASH_CHARACTERS = 12;

/** A text in place of a credential: equal for equal ones, so that people can compare without reading it. */
export function credentialHash(value: string): string {
  return `sha256:${hash('sha256', value, 'hex').slice(0, HASH_CHARACTERS)}`;
}
