import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { ServerCertificate } from '../../net/tls-material.js';
import type { Logger } from '../../telemetry/logger.js';
import { createChangeListeners } from '../change-listeners.js';
import { createWatchedFiles, type FileContents } from '../watched-files.js';
import { PemError } from '../x509/pem.js';
import { parseCertificates, readCertificateFields } from '../x509/read-certificate.js';
import { ServerCertificateError, type ServerCertificateSource } from './server-certificate-source.js';

type Part = 'privateKey' | 'certificateChain' | 'roots';

export interface FileCertificateOptions {
  /** Name of the setting for messages: `NAV_CERT_PROVIDER`, or the flags. */
  readonly setting: string;
  readonly files: Readonly<Record<Part, string>>;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
}

interface Loaded {
  readonly certificate: ServerCertificate;
  readonly roots: string;
}

/**
 * A certificate in files that another process writes; they are read again 100 ms after a change
 * (docs/reference/certificate-authority.md#server-certificate). If the new content is unusable, an error is logged and
 * the loaded certificate stays in force.
 */
export function createFileCertificate({
  setting,
  files,
  clock,
  logger,
}: FileCertificateOptions): ServerCertificateSource {
  const listeners = createChangeListeners();
  let loaded: Loaded | undefined;

  const reload = (contents: FileContents<Part>): void => {
    try {
      loaded = load(contents);
    } catch (err) {
      const remedy = 'the certificate that was loaded before stays in force';
      logger.error({ setting, err, remedy }, 'server certificate reload failed');
      return;
    }
    logger.info({ setting }, 'server certificate reloaded');
    listeners.tell();
  };

  const load = (contents: FileContents<Part>): Loaded => {
    const texts = {
      privateKey: partOf(contents, 'privateKey'),
      certificateChain: partOf(contents, 'certificateChain'),
      roots: partOf(contents, 'roots'),
    };
    const [leaf] = certificatesOf(texts, 'certificateChain');
    certificatesOf(texts, 'roots');
    if (leaf?.checkPrivateKey(keyOf(texts.privateKey)) !== true) {
      throw refusal('privateKey', `does not belong to ${files.certificateChain}`, 'write both of one certificate');
    }
    const { notAfter } = readCertificateFields(leaf);
    if (notAfter <= clock.now()) {
      throw refusal('certificateChain', `expired at ${notAfter.toISOString()}`, 'replace it by one that is valid');
    }
    const { privateKey, certificateChain, roots } = texts;
    return { certificate: { privateKey, certificateChain }, roots };
  };

  const refusal = (part: Part, problem: string, remedy: string): ServerCertificateError =>
    new ServerCertificateError(`${setting}: ${files[part]} ${problem}; ${remedy}`);

  const partOf = (contents: FileContents<Part>, part: Part): string => {
    const content = contents[part];
    if (content.type === 'text') return content.text;
    const problem = content.type === 'missing' ? 'does not exist' : `cannot be read: ${content.reason}`;
    throw refusal(part, problem, 'create it, and let this process read it');
  };

  const certificatesOf = (texts: Readonly<Record<Part, string>>, part: Part) => {
    try {
      return parseCertificates(texts[part]);
    } catch (cause) {
      if (!(cause instanceof PemError)) throw cause;
      throw refusal(part, `cannot be read: ${cause.message}`, 'write X.509 certificates as PEM into it');
    }
  };

  const keyOf = (text: string): KeyObject => {
    try {
      return createPrivateKey(text);
    } catch {
      // The original error may contain parts of the key.
      throw refusal('privateKey', 'is not a private key in PEM', 'write one without a passphrase into it');
    }
  };

  const watched = createWatchedFiles({ files, clock, onChange: reload });
  return {
    current: () => loaded?.certificate,
    caBundle: () => loaded?.roots,
    onChange: listeners.add,
    start: async () => {
      const contents = await watched.start();
      try {
        loaded = load(contents);
      } catch (error) {
        await watched.stop();
        throw error;
      }
    },
    stop: watched.stop,
  };
}
