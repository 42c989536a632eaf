import type { X509Certificate } from 'node:crypto';
import { checkMaterial } from '../authority/check-material.js';
import { PLUGGED_IN_FILES } from '../authority/plugged-in.js';
import type { SigningMaterial } from '../authority/signing-material.js';
import { formatPem, PemError } from '../x509/pem.js';
import { parseCertificates, readCertificateFields } from '../x509/read-certificate.js';
import { RootStoreError, type StoredRoot } from './root-store.js';

/**
 * An earlier root is dropped this long before it expires. The present root has the same name and key, so it verifies
 * the same certificates. Some verifiers that know both try only the first, and fail once that one has expired. Ten
 * minutes are enough to update all peers.
 */
const EARLIER_ROOT_MARGIN_MS = 10 * 60_000;
/** All earlier roots verify the same certificates, so few are enough. A percentile of 100 would add one every hour. */
const MAX_EARLIER_ROOTS = 5;

export interface RootMaterial {
  readonly material: SigningMaterial;
  /** When the first of the earlier roots must be dropped. */
  readonly nextDrop: Date | undefined;
}

/**
 * Turns a stored root into signing material that trusts the root, its earlier roots and the extra roots.
 *
 * @param store for messages
 * @param extraRoots of ROOT_CA_DIR; PEM, may be empty
 * @param onIgnored called for roots that cannot be read
 * @throws RootStoreError
 */
export function materialOfRoot(
  { root, store, extraRoots }: { readonly root: StoredRoot; readonly store: string; readonly extraRoots: string },
  now: Date,
  onIgnored: (what: string, problem: string) => void,
): RootMaterial {
  const readRoots = (what: string, text: string): readonly X509Certificate[] => {
    try {
      return text.trim() === '' ? [] : parseCertificates(text);
    } catch (error) {
      if (!(error instanceof PemError)) throw error;
      onIgnored(what, error.message);
      return [];
    }
  };
  const earlier = currentRoots(readRoots(`${store}, key ${PLUGGED_IN_FILES.roots}`, root.earlierRoots), now);
  const extra = readRoots('the extra roots', extraRoots);
  const checked = checkMaterial({
    privateKey: root.privateKey,
    certificate: root.certificate,
    chain: '',
    roots: [root.certificate.trim(), ...[...earlier, ...extra].map(pemOf)].join('\n'),
  });
  if (checked.type === 'problem') {
    const { part, problem, remedy } = checked.problem;
    throw new RootStoreError(`${store}: its key ${PLUGGED_IN_FILES[part]} ${problem}; ${remedy}, or delete the secret`);
  }
  const drops = earlier.map(dropTimeOf).sort((a, b) => a.getTime() - b.getTime());
  return { material: checked.material, nextDrop: drops[0] };
}

/** The earlier roots after a rotation: the rotated root, and its earlier roots that are still valid. PEM. */
export function earlierRootsAfter({ certificate, earlierRoots }: StoredRoot, now: Date): string {
  let earlier: readonly X509Certificate[] = [];
  try {
    earlier = earlierRoots.trim() === '' ? [] : parseCertificates(earlierRoots);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
  }
  const roots = currentRoots([...parseCertificates(certificate), ...earlier], now);
  return roots.slice(0, MAX_EARLIER_ROOTS).map(pemOf).join('');
}

function currentRoots(roots: readonly X509Certificate[], now: Date): readonly X509Certificate[] {
  return roots.filter((each) => dropTimeOf(each) > now);
}

function dropTimeOf(root: X509Certificate): Date {
  return new Date(readCertificateFields(root).notAfter.getTime() - EARLIER_ROOT_MARGIN_MS);
}

function pemOf({ raw }: X509Certificate): string {
  return formatPem('CERTIFICATE', raw);
}
