import { createHash } from 'node:crypto';
import type { KeyList } from '../../config/policy-server/policy-server-config.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { ReferencedAttributes } from '../client/referenced-attributes.js';
import { dimensionText } from './dimension-text.js';

/** Reads a file of keys, one a line. @throws Error when it cannot be read */
export type ReadKeyFile = (file: string) => string;

/** The known keys of a quota. */
export interface KnownKeys {
  /** Whether the key of the request is known. A request without a key has no known key. */
  has(bag: AttributeBag): boolean;
  /** The attribute that decided, for clients that cache the answer. */
  referenced(bag: AttributeBag): ReferencedAttributes;
}

/** Keys are stored as SHA-256, so that a memory dump shows no key, and every key needs the same memory. */
export function createKnownKeys({ dimension, values, file }: KeyList, readFile: ReadKeyFile): KnownKeys {
  const digests = new Set(values.map(digestOf));
  for (const line of file === undefined ? [] : readFile(file).split('\n')) {
    const key = line.trim();
    if (key !== '' && !key.startsWith('#')) digests.add(digestOf(key));
  }
  const { attribute, mapKey } = dimension;
  return {
    has: (bag) => {
      const key = dimensionText(dimension, bag);
      return key !== undefined && digests.has(sha256(key));
    },
    referenced: (bag) => [
      {
        name: attribute,
        ...(mapKey !== undefined && { mapKey }),
        condition: dimensionText(dimension, bag) === undefined ? 'ABSENCE' : 'EXACT',
      },
    ],
  };
}

const WRITTEN_DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** The digest of a key in a list: the key itself, or `sha256:` and its hash in hexadecimal. */
function digestOf(written: string): string {
  return WRITTEN_DIGEST.exec(written)?.[1]?.toLowerCase() ?? sha256(written);
}

function sha256(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
