import { createPrivateKey, type KeyObject } from 'node:crypto';
import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { Logger } from '../../telemetry/logger.js';
import type { LocalAuthority } from '../authority/local-authority.js';
import { createSelfSignedRoot, generateRootKey } from '../authority/self-signed.js';
import type { SigningMaterial } from '../authority/signing-material.js';
import { scheduleAt } from '../schedule-at.js';
import { organizationName } from '../x509/build-certificate.js';
import { readCertificateFields } from '../x509/read-certificate.js';
import { earlierRootsAfter, materialOfRoot } from './root-material.js';
import type { LoadedRoot, RootStore, StoredRoot } from './root-store.js';

export interface SelfSignedSettings {
  /** Organization of a new root, the trust domain. */
  readonly trustDomain: string;
  /** CA_SELF_SIGNED_CA_CERT_TTL */
  readonly ttlMs: number;
  /** CA_SELF_SIGNED_CA_RSA_KEY_SIZE */
  readonly keyBits: number;
  /** A key of that size for the first new root, if one is made in advance. Default: made when needed. */
  readonly firstKey?: Promise<KeyObject> | undefined;
  /** CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL; zero or less turns checks and rotation off. */
  readonly checkIntervalMs: number;
  /** CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: a root is replaced in this last percentage of its lifetime. */
  readonly gracePercentile: number;
  /** CA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR */
  readonly hasJitter: boolean;
}

export interface RootRotatorOptions extends SelfSignedSettings {
  readonly store: RootStore;
  /** Receives the root, and each later one. */
  readonly authority: LocalAuthority;
  /** Additional trusted roots; PEM, may be empty. */
  readonly extraRoots: () => string;
  readonly clock: Clock;
  /** Scope `rootcertrotator`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

/**
 * Keeps a self-signed authority on a valid root that all replicas share
 * (docs/reference/certificate-authority.md#rotation).
 */
export interface RootRotator {
  /** Settles after the first attempt to obtain a root. Attempts continue until there is one. */
  start(): Promise<void>;
  /**
   * The stored root has this version now; empty when it was deleted. A version other than the one in force is read at
   * once.
   */
  versionSeen(version: string): void;
  /** The extra roots have changed. */
  extraRootsChanged(): void;
  stop(): Promise<void>;
}

const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 30_000;
/** Conflicts with other replicas in one attempt; more of them mean another problem. */
const MAX_RACES = 5;

/**
 * A new root has the name and key of the one that it replaces, so certificates of either verify with both. The earlier
 * root stays trusted, and stored beside the new one, until it expires. A root is checked before it is stored, and
 * stored before it is used, so a failure changes nothing. A replica that finds another root stored uses that one.
 */
export function createRootRotator(options: RootRotatorOptions): RootRotator {
  const { store, authority, clock, logger, random, checkIntervalMs, gracePercentile } = options;
  const isRotating = checkIntervalMs > 0;
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random });
  let inForce: LoadedRoot | undefined;
  let firstKey = options.firstKey;
  let lastTrouble = '';
  let isStopped = false;
  let cancelNext = (): void => undefined;
  let cancelDrop = (): void => undefined;
  let work: Promise<void> = Promise.resolve();

  const ignored = (what: string, reason: string): void =>
    logger.warn({ what, reason }, 'unreadable root certificates ignored');

  const materialOf = (root: StoredRoot) =>
    materialOfRoot({ root, store: store.name, extraRoots: options.extraRoots() }, clock.now(), ignored);

  /** @throws RootStoreError; the root in force stays */
  const use = (loaded: LoadedRoot): void => {
    const { material, nextDrop } = materialOf(loaded.root);
    inForce = loaded;
    cancelDrop();
    if (nextDrop !== undefined) cancelDrop = scheduleAt(clock, nextDrop, reuse);
    if (isSame(material, authority.material())) return;
    authority.replace(material);
    logger.info({ ...fieldsOf(material), roots: material.roots.length }, 'root certificate activated');
  };

  /** Applies a change of the earlier or extra roots. */
  const reuse = (): void => {
    if (inForce !== undefined && !isStopped) use(inForce);
  };

  const fieldsOf = ({ certificate: { serialNumber, validTo } }: SigningMaterial) => {
    return { store: store.name, serialNumber, notAfter: validTo };
  };

  const make = async (): Promise<StoredRoot> => {
    const key = await (firstKey ?? generateRootKey(options.keyBits));
    firstKey = undefined;
    const subject = organizationName(options.trustDomain);
    const made = await createSelfSignedRoot(key, { subject, keyId: undefined, ttlMs: options.ttlMs, now: clock.now() });
    return { ...made, earlierRoots: '' };
  };

  const follow = async (root: StoredRoot, { certificate }: SigningMaterial): Promise<StoredRoot> => {
    const { subject, subjectKeyId } = readCertificateFields(certificate);
    const now = clock.now();
    const names = { subject, keyId: subjectKeyId, ttlMs: options.ttlMs, now };
    const made = await createSelfSignedRoot(createPrivateKey(root.privateKey), names);
    return { ...made, earlierRoots: earlierRootsAfter(root, now) };
  };

  const isDue = ({ certificate }: SigningMaterial): boolean => {
    const { notBefore, notAfter } = readCertificateFields(certificate);
    const graceMs = ((notAfter.getTime() - notBefore.getTime()) * gracePercentile) / 100;
    return clock.now().getTime() >= notAfter.getTime() - graceMs;
  };

  /** Reads the stored root, or makes and stores one. Undefined when another replica was faster. */
  const obtain = async (mayRotate: boolean): Promise<LoadedRoot | undefined> => {
    const found = await store.load();
    // A deleted root that is in use is stored again, because replicas must not differ.
    if (found === undefined)
      return await storeChecked(inForce?.root ?? (await make()), undefined, 'root certificate stored');
    const { material } = materialOf(found.root);
    if (!mayRotate || !isDue(material)) return found;
    return await storeChecked(await follow(found.root, material), found, 'root certificate rotated');
  };

  const storeChecked = async (root: StoredRoot, replaces: LoadedRoot | undefined, message: string) => {
    const { material } = materialOf(root);
    const stored = await store.save(root, replaces);
    if (stored !== undefined) logger.info(fieldsOf(material), message);
    return stored;
  };

  const attempt = async (mayRotate: boolean): Promise<void> => {
    for (let race = 0; race < MAX_RACES; race++) {
      const obtained = await obtain(mayRotate);
      if (obtained === undefined) continue;
      use(obtained);
      return;
    }
    throw new Error(`${store.name} changes faster than it can be read`);
  };

  /**
   * The first check replaces only an expired root. All replicas check when they start, and the jitter of later checks
   * keeps them from doing the same work at the same time.
   */
  const look = async (isFirst: boolean): Promise<void> => {
    await attempt(isRotating && !isFirst);
    if (hasRunOut() && isRotating) await attempt(true);
    if (lastTrouble !== '') logger.info({ store: store.name }, 'root certificate available again');
    lastTrouble = '';
    backoff.reset();
    if (hasRunOut()) logger.error({ store: store.name, remedy: ROTATION_REMEDY }, 'root certificate expired');
  };

  const run = async (isFirst: boolean): Promise<void> => {
    if (isStopped) return;
    cancelNext();
    try {
      await look(isFirst);
      const waitMs = isFirst && options.hasJitter ? random() * checkIntervalMs : checkIntervalMs;
      if (isRotating) next(waitMs, false);
    } catch (err) {
      tell(err);
      next(backoff.nextMs(), isFirst);
    }
  };

  const next = (waitMs: number, isFirst: boolean): void => {
    const due = new Date(clock.now().getTime() + waitMs);
    if (!isStopped) cancelNext = scheduleAt(clock, due, () => later(isFirst));
  };

  const hasRunOut = (): boolean => (authority.material()?.notAfter ?? clock.now()) <= clock.now();

  const tell = (err: unknown): void => {
    const trouble = errorText(err);
    if (trouble === lastTrouble) return;
    lastTrouble = trouble;
    const fields = { store: store.name, err };
    if (inForce === undefined) logger.error(fields, 'root certificate unavailable, retrying');
    else logger.error(fields, 'root certificate check failed, retrying');
  };

  const later = (isFirst: boolean): void => {
    work = work.then(() => run(isFirst));
  };

  return {
    start: async () => {
      later(true);
      await work;
    },
    versionSeen: (version) => {
      if (isRotating && inForce !== undefined && version !== inForce.version) later(false);
    },
    extraRootsChanged: reuse,
    stop: async () => {
      isStopped = true;
      cancelNext();
      cancelDrop();
      await work;
    },
  };
}

const ROTATION_REMEDY = 'set CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL above zero, or delete the secret and restart';

function isSame(a: SigningMaterial, b: SigningMaterial | undefined): boolean {
  const texts = ({ certificate, roots }: SigningMaterial) =>
    [certificate, ...roots].map(({ raw }) => raw.toString('base64'));
  return b !== undefined && a.privateKey.equals(b.privateKey) && texts(a).join() === texts(b).join();
}
