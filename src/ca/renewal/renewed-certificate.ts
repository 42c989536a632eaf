import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority, SubjectAltName, TrustBundle } from '../authority/certificate-authority.js';
import { scheduleAt } from '../schedule-at.js';
import type { BundleJudge } from './judge-bundle.js';
import { KeyAndChain } from './key-and-chain.js';

export interface RenewedCertificateOptions {
  readonly authority: CertificateAuthority;
  readonly judge: BundleJudge;
  /** One or more. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Throws while none may be issued; it is asked again later. Default: one always may. */
  readonly mayIssue?: () => void;
  readonly clock: Clock;
  /** Told of failures, never of keys. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: spreads renewals. */
  readonly random: () => number;
  /** Called when there is another, the first one too. */
  readonly onChange: () => void;
}

/** A certificate of our own making, and its key, that is replaced before it runs out. */
export interface RenewedCertificate {
  /** Undefined until the first is issued, and when one has run out because no other could be had. */
  current(): KeyAndChain | undefined;
  /** Settles after the first attempt. */
  start(): Promise<void>;
  /** Nothing is issued any more, and the key is forgotten. */
  close(): void;
}

/** Renewed at a random point of this part of a certificate's life, and with the next key. */
const FROM_PART = 0.5;
const TO_PART = 0.8;
/** An authority that runs out itself issues for less and less time. */
const MIN_WAIT_MS = 250;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** What the authority does not verify any more is replaced within so long: by all who have one, so not all at once. */
const USELESS_SPREAD_MS = 5_000;
/** Under a new key of the authority a certificate is of use to those who know its root, which takes them a while. */
const OLD_WAIT_MS = 5 * 60_000;

const generate = promisify(generateKeyPair);

export function createRenewedCertificate(options: RenewedCertificateOptions): RenewedCertificate {
  const { authority, judge, subjectAltNames, clock, logger, random, onChange } = options;
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random });
  const names = subjectAltNames.map(({ value }) => value);
  let present: { readonly secret: KeyAndChain; readonly issuing: TrustBundle } | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let cancelNext = (): void => undefined;
  let isTroubled = false;
  let isClosed = false;
  let renewing: Promise<void> | undefined;

  const schedule = (waitMs: number): void => {
    cancelNext();
    dueMs = clock.now().getTime() + Math.max(MIN_WAIT_MS, waitMs);
    if (!isClosed) cancelNext = scheduleAt(clock, new Date(dueMs), renew);
  };

  const take = (secret: KeyAndChain, issuing: TrustBundle): void => {
    present = { secret, issuing };
    const lifeMs = secret.notAfter.getTime() - clock.now().getTime();
    schedule(lifeMs * (FROM_PART + random() * (TO_PART - FROM_PART)));
    // The authority may have changed while it was issued.
    authorityChanged();
    onChange();
  };

  const attempt = async (): Promise<void> => {
    try {
      options.mayIssue?.();
      const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
      const issuing = authority.bundle();
      const { chain, notAfter } = await authority.issue({ publicKey, subjectAltNames, ttlMs: 0 });
      if (isClosed) return;
      backoff.reset();
      if (isTroubled) logger.info({ names }, 'A certificate can be issued again');
      isTroubled = false;
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      take(new KeyAndChain(key, chain.join(''), notAfter), issuing);
    } catch (err) {
      if (isClosed) return;
      if (!isTroubled) logger.warn({ names, err }, 'A certificate cannot be issued; trying again');
      isTroubled = true;
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
