import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { pluggedInPaths } from '../../ca/authority/plugged-in.js';
import { generateRootKey } from '../../ca/authority/self-signed.js';
import type { Options } from '../options.js';

/**
 * Starts to generate the key of a root that exists only in memory. It takes a tenth of a second or more on a thread of
 * its own, while the mesh is read.
 *
 * @returns undefined where the root comes from a cluster or from ROOT_CA_DIR
 */
export function prepareRootKey({ environment }: Options, hasCluster: boolean): Promise<KeyObject> | undefined {
  const { enableCaServer, rootCaDir, caSelfSignedCaRsaKeySizeBits } = environment;
  if (hasCluster || !enableCaServer || existsSync(pluggedInPaths(rootCaDir).certificate)) return undefined;
  const key = generateRootKey(caSelfSignedCaRsaKeySizeBits);
  // The rotator reports the error when it asks for the key.
  key.catch(() => undefined);
  return key;
}
