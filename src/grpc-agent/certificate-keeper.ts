import type { X509Certificate } from 'node:crypto';
import { createBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { errorText } from '../base/error-text.js';
import {
  generateCertificateKey,
  KeyAndChain,
  OLD_WAIT_MS,
  RETRY_WAITS,
  renewalWaitMs,
  USELESS_SPREAD_MS,
} from '../ca/renewal/renewed-certificate.js';
import { scheduleAt } from '../ca/schedule-at.js';
import { createWatchedFiles, type FileContent } from '../ca/watched-files.js';
import { buildCertificateRequest } from '../ca/x509/build-request.js';
import { parseCertificates, readCertificateFields } from '../ca/x509/read-certificate.js';
import type { Logger } from '../telemetry/logger.js';
import type { RequestCertificate } from './certificate-call.js';
import type { CertificateTexts } from './certificate-folder.js';
import type { TunnelCertificate } from './discovery-tunnel.js';

export interface CertificateKeeperOptions {
  readonly request: RequestCertificate;
  readonly write: (texts: CertificateTexts) => Promise<void>;
  /** PEM file with the roots of the mesh, which may change. */
  readonly rootsFile: string;
  readonly clock: Clock;
  /** Scope `pkica`. Never gets keys. */
  readonly logger: Logger;
  /** Uniform in [0, 1): spreads renewals. */
  readonly random: () => number;
}

/** The certificate files of a pod, which are replaced before the certificate expires and when the roots change. */
export interface CertificateKeeper {
  /** Settles after the first attempt. Later attempts follow by themselves. */
  start(): Promise<void>;
  /** What is written, and its end; undefined before the first certificate. */
  current(): TunnelCertificate | undefined;
  stop(): Promise<void>;
}

export function createCertificateKeeper(options: CertificateKeeperOptions): CertificateKeeper {
  const { request, write, rootsFile, clock, logger, random } = options;
  const backoff = createBackoff({ ...RETRY_WAITS, random });
  let roots = '';
  let present: KeyAndChain | undefined;
  let isFailing = false;
  let isStopped = false;
  let due: Date | undefined;
  let cancelNext = (): void => undefined;
  // One step at a time: a step writes what the one before has left.
  let work: Promise<void> = Promise.resolve();

  const schedule = (waitMs: number): void => {
    cancelNext();
    due = new Date(clock.now().getTime() + waitMs);
    if (!isStopped) cancelNext = scheduleAt(clock, due, () => next(renew));
  };

  const next = (step: () => Promise<void>): Promise<void> => {
    work = work.then(async () => {
      if (isStopped) return;
      try {
        await step();
        if (isFailing) logger.info({}, 'certificate files are current again');
        isFailing = false;
        backoff.reset();
      } catch (err) {
        const waitMs = backoff.nextMs();
        if (!isFailing) logger.warn({ err, retryInMs: Math.round(waitMs) }, 'certificate files not renewed, retrying');
        isFailing = true;
        schedule(waitMs);
      }
    });
    return work;
  };

  const renew = async (): Promise<void> => {
    if (roots === '') throw new Error(`there are no root certificates in ${rootsFile}`);
    const { privateKey, publicKey } = await generateCertificateKey();
    const certificateChain = await request(await buildCertificateRequest(privateKey, publicKey));
    const [leaf] = parseCertificates(certificateChain);
    if (leaf === undefined || !leaf.publicKey.equals(publicKey)) {
      throw new Error('the control plane returned a certificate of another key');
    }
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const renewed = new KeyAndChain(key, certificateChain, readCertificateFields(leaf).notAfter);
    await writeWithRoots(renewed);
    present = renewed;
    const waitMs = renewalWaitMs(renewed.notAfter.getTime() - clock.now().getTime(), random);
    schedule(waitMs);
    logger.info({ notAfter: renewed.notAfter, renewalInMs: Math.round(waitMs) }, 'certificate files written');
  };

  const writeWithRoots = ({ privateKey, certificateChain }: KeyAndChain): Promise<void> =>
    write({ privateKey, certificateChain, roots });

  const takeRoots = (content: FileContent): boolean => {
    const problem = problemOf(content);
    if (content.type === 'text' && problem === undefined) {
      roots = content.text;
      return true;
    }
    logger.warn({ file: rootsFile, problem }, 'root certificates not used, the last good ones stay');
    return false;
  };

  const rootsChanged = async (): Promise<void> => {
    if (present === undefined) return renew();
    await writeWithRoots(present);
    logger.info({}, 'root certificates replaced');
    const waitMs = isVerified(present, roots) ? OLD_WAIT_MS * (1 + random()) : USELESS_SPREAD_MS * random();
    if (due === undefined || clock.now().getTime() + waitMs < due.getTime()) schedule(waitMs);
  };

  const files = createWatchedFiles({
    files: { roots: rootsFile },
    clock,
    onChange: (contents) => {
      if (takeRoots(contents.roots)) void next(rootsChanged);
    },
  });

  return {
    start: async () => {
      takeRoots((await files.start()).roots);
      await next(renew);
    },
    current: () => {
      if (present === undefined) return undefined;
      const { privateKey, certificateChain, notAfter } = present;
      return { privateKey, certificateChain, roots, notAfter };
    },
    stop: async () => {
      isStopped = true;
      cancelNext();
      await files.stop();
      await work;
      present = undefined;
    },
  };
}

function problemOf(content: FileContent): string | undefined {
  if (content.type === 'missing') return 'the file does not exist';
  if (content.type === 'unreadable') return content.reason;
  try {
    parseCertificates(content.text);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Whether one of the roots has signed the chain. */
function isVerified({ certificateChain }: KeyAndChain, roots: string): boolean {
  const last = parseCertificates(certificateChain).at(-1);
  return last !== undefined && parseCertificates(roots).some((root: X509Certificate) => last.verify(root.publicKey));
}
