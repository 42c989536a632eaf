import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { systemClock } from '../../src/base/clock.js';
import { checkMaterial } from '../../src/ca/authority/check-material.js';
import { createLocalAuthority, type LocalAuthority } from '../../src/ca/authority/local-authority.js';
import { createSelfSignedRoot } from '../../src/ca/authority/self-signed.js';
import { organizationName } from '../../src/ca/x509/build-certificate.js';
import { readCertificateRequest } from '../../src/ca/x509/certificate-request.js';
import { percentile } from '../measure/statistics.js';
import { createCertificateRequest } from './certificate-request.js';

/** How fast certificates are signed with one kind of key. */
export interface SignatureResult {
  /** Of the authority. */
  readonly key: string;
  /** Signatures per second of processor time of all threads, so the rate of one core. */
  readonly perCpuSecond: number;
  /** From a request to its certificate, one after the other. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const DAY_MS = 24 * 3_600_000;
const REQUESTS = 50;
const WARM_UP_SHARE = 0.2;

/** Keys of an authority: that of a self-signed one by default, and the fastest of a plugged-in one. */
const AUTHORITY_KEYS: Readonly<Record<string, () => KeyObject>> = {
  'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  'EC P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};

/**
 * Measures how many requests by P-256 keys are checked, their signatures too, and signed.
 *
 * @param seconds for each kind of key
 * @param nowMs a monotonic clock, in milliseconds with fractions
 */
export async function measureSignatures(seconds: number, nowMs: () => number): Promise<SignatureResult[]> {
  const requests = await Promise.all(Array.from({ length: REQUESTS }, createCertificateRequest));
  const results: SignatureResult[] = [];
  for (const [key, generate] of Object.entries(AUTHORITY_KEYS)) {
    const authority = await createAuthority(generate());
    await signFor(seconds * 1000 * WARM_UP_SHARE, authority, requests, nowMs);
    const start = process.cpuUsage();
    const times = await signFor(seconds * 1000, authority, requests, nowMs);
    const { user, system } = process.cpuUsage(start);
    results.push({
      key,
      perCpuSecond: (times.length * 1e6) / (user + system),
      p50Ms: percentile(times, 50),
      p99Ms: percentile(times, 99),
    });
  }
  return results;
}

async function createAuthority(key: KeyObject): Promise<LocalAuthority> {
  const names = { subject: organizationName('cluster.local'), keyId: undefined };
  const root = await createSelfSignedRoot(key, { ...names, ttlMs: 3650 * DAY_MS, now: new Date() });
  const checked = checkMaterial({ ...root, chain: '', roots: root.certificate });
  if (checked.type === 'problem') throw new Error(checked.problem.problem);
  const authority = createLocalAuthority({ clock: systemClock, ttls: { defaultMs: DAY_MS, maxMs: 90 * DAY_MS } });
  authority.replace(checked.material);
  return authority;
}

/** Milliseconds of each. */
async function signFor(
  durationMs: number,
  authority: LocalAuthority,
  requests: readonly string[],
  nowMs: () => number,
): Promise<readonly number[]> {
  const subjectAltNames = [{ type: 'uri', value: 'spiffe://cluster.local/ns/shop/sa/reviews' }] as const;
  const times: number[] = [];
  const end = nowMs() + durationMs;
  do {
    for (const request of requests) {
      const start = nowMs();
      await authority.issue({ publicKey: await readCertificateRequest(request), subjectAltNames, ttlMs: 0 });
      times.push(nowMs() - start);
    }
  } while (nowMs() < end);
  return times;
}
