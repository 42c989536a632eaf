import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { pluggedInPaths } from '../../ca/authority/plugged-in.js';
import { generateRootKey } from '../../ca/authority/self-signed.js';
import type { Options } from '../options.js';

/**
 * Starts to generate the key of a root that lives in memory. It takes a tenth of a second and more on a thread of its
 * own: the mesh is read meanwhile.
 *
 * @returns undefined where the root comes from a cluster or from ROOT_CA_DIR
 */
export function prepareRootKey({ environment }: Options, hasCluster: boolean): Promise<KeyObject> | undefined {
  const { enableCaServer, rootCaDir, caSelfSignedCaRsaKeySizeBits } = environment;
  if (hasCluster || !enableCaServer || existsSync(pluggedInPaths(rootCaDir).certificate)) return undefined;
  const key = generateRootKey(caSelfSignedCaRsaKeySizeBits);
  // An error is the rotator's to report, which asks for the key later.
  key.catch(() => undefined);
  return key;
}
