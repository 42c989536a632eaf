import { generateKeyPair, type KeyPairKeyObjectResult } from 'node:crypto';
import { promisify } from 'node:util';
import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority, SubjectAltName, TrustBundle } from '../authority/certificate-authority.js';
import { scheduleAt } from '../schedule-at.js';
import type { BundleJudge } from './judge-bundle.js';

export interface RenewedCertificateOptions {
  readonly authority: CertificateAuthority;
  readonly judge: BundleJudge;
  /** At least one. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Throws while no certificate may be issued; it is called again later. Default: always allowed. */
  readonly mayIssue?: () => void;
  readonly clock: Clock;
  /** Logs failures, never keys. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: spreads renewals. */
  readonly random: () => number;
  /** Called for each new certificate, the first included. */
  readonly onChange: () => void;
}

/** A certificate and key that this process makes, and replaces before the certificate expires. */
export interface RenewedCertificate {
  /** Undefined until the first certificate is issued, and after a certificate expired without a replacement. */
  current(): KeyAndChain | undefined;
  /** Settles after the first attempt. */
  start(): Promise<void>;
  /** Ends renewal and drops the key. */
  close(): void;
}

/** A certificate is renewed, with a new key, at a random point between these parts of its lifetime. */
const FROM_PART = 0.5;
const TO_PART = 0.8;
/** Certificates of an expiring authority get shorter and shorter; this bounds the rate of renewals. */
const MIN_WAIT_MS = 250;
/** Waits after failed requests for a certificate. */
export const RETRY_WAITS = { initialMs: 1_000, maxMs: 60_000 } as const;
/**
 * Certificates that no longer verify are replaced within this time, at random points, because all holders are affected
 * at once.
 */
export const USELESS_SPREAD_MS = 5_000;
/** Certificates of a new key help only peers that know its root, which takes them some minutes. */
export const OLD_WAIT_MS = 5 * 60_000;

const generate = promisify(generateKeyPair);

/** A new key of the kind that certificates of this mesh have: EC P-256. */
export function generateCertificateKey(): Promise<KeyPairKeyObjectResult> {
  return generate('ec', { namedCurve: 'P-256' });
}

/** The time until a certificate is renewed. @param lifeMs how long it is still valid */
export function renewalWaitMs(lifeMs: number, random: () => number): number {
  return Math.max(MIN_WAIT_MS, lifeMs * (FROM_PART + random() * (TO_PART - FROM_PART)));
}

export function createRenewedCertificate(options: RenewedCertificateOptions): RenewedCertificate {
  const { authority, judge, subjectAltNames, clock, logger, random, onChange } = options;
  const backoff = createBackoff({ ...RETRY_WAITS, random });
  const names = subjectAltNames.map(({ value }) => value);
  let present: { readonly secret: KeyAndChain; readonly issuing: TrustBundle } | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let cancelNext = (): void => undefined;
  let isFailing = false;
  let isClosed = false;
  let renewing: Promise<void> | undefined;

  const schedule = (waitMs: number): void => {
    cancelNext();
    dueMs = clock.now().getTime() + Math.max(MIN_WAIT_MS, waitMs);
    if (!isClosed) cancelNext = scheduleAt(clock, new Date(dueMs), renew);
  };

  const take = (secret: KeyAndChain, issuing: TrustBundle): void => {
    present = { secret, issuing };
    schedule(renewalWaitMs(secret.notAfter.getTime() - clock.now().getTime(), random));
    // The authority may have changed while the certificate was issued.
    authorityChanged();
    onChange();
  };

  const attempt = async (): Promise<void> => {
    try {
      options.mayIssue?.();
      const { privateKey, publicKey } = await generateCertificateKey();
      const issuing = authority.bundle();
      const { chain, notAfter } = await authority.issue({ publicKey, subjectAltNames, ttlMs: 0 });
      if (isClosed) return;
      backoff.reset();
      if (isFailing) logger.info({ names }, 'certificate issuance resumed');
      isFailing = false;
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      take(new KeyAndChain(key, chain.join(''), notAfter), issuing);
    } catch (err) {
      if (isClosed) return;
      if (!isFailing) logger.warn({ names, err }, 'certificate issuance failed, retrying');
      isFailing = true;
      schedule(backoff.nextMs());
    }
  };

  const renew = (): void => {
    renewing ??= attempt().finally(() => {
      renewing = undefined;
    });
  };

  const authorityChanged = (): void => {
    if (present === undefined) {
      renew();
      return;
    }
    const verdict = judge(present.issuing, authority.bundle());
    if (verdict === 'same') return;
    const waitMs = verdict === 'useless' ? random() * USELESS_SPREAD_MS : OLD_WAIT_MS * (1 + random());
    if (clock.now().getTime() + waitMs < dueMs) schedule(waitMs);
  };

  const endListening = authority.onChange(authorityChanged);
  return {
    current: () => {
      const isGood = present !== undefined && present.secret.notAfter > clock.now();
      return isGood ? present?.secret : undefined;
    },
    start: async () => {
      renew();
      await renewing;
    },
    close: () => {
      isClosed = true;
      endListening();
      cancelNext();
      present = undefined;
    },
  };
}

/** A private key with its certificates. The key appears neither in JSON nor in the output of `inspect` and loggers. */
export class KeyAndChain {
  readonly #privateKey: string;
  /** PEM: the leaf, then its intermediates. */
  readonly certificateChain: string;
  readonly notAfter: Date;

  constructor(privateKey: string, certificateChain: string, notAfter: Date) {
    this.#privateKey = privateKey;
    this.certificateChain = certificateChain;
    this.notAfter = notAfter;
  }

  /** PEM, PKCS #8. */
  get privateKey(): string {
    return this.#privateKey;
  }
}
