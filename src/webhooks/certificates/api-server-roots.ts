import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { isRecord } from '../../base/record.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import { createRepeatedWork } from './repeated-work.js';

export interface ApiServerRootsOptions {
  readonly send: SendRequest;
  /** PEM file of NAV_WEBHOOK_CLIENT_CA_FILE; empty to read the roots from the cluster. */
  readonly file: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Root certificates that verify client certificates of API servers. */
export interface ApiServerRoots {
  /** One PEM certificate each; empty until they are known. */
  current(): readonly string[];
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void;
  /** Settles after the first attempt, successful or not. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The API server of every cluster writes it for extension servers (Kubernetes, "Configure the aggregation layer"). */
const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const KEYS = ['client-ca-file', 'requestheader-client-ca-file'] as const;

const FILE_AGAIN_MS = 60_000;
const CLUSTER_AGAIN_MS = 600_000;
const FAILED_AGAIN_MS = 60_000;

/**
 * Reads the root certificates of the cluster's client certificates from a file, or else from the ConfigMap
 * `extension-apiserver-authentication` of kube-system: a file every minute, the ConfigMap every ten minutes. If they
 * cannot be read, the last roots stay in force; without roots, no caller of the webhook has priority.
 */
export function createApiServerRoots({ send, file, logger, clock }: ApiServerRootsOptions): ApiServerRoots {
  let roots: readonly string[] = [];
  let lastProblem = '';
  const listeners = new Set<() => void>();
  let attempted = (): void => undefined;
  const firstAttempt = new Promise<void>((resolve) => {
    attempted = resolve;
  });

  const take = (pem: string): void => {
    const next = readCertificates(pem);
    if (next.length === 0) throw new Error('it contains no certificate');
    if (next.join() === roots.join()) return;
    roots = next;
    logger.info({ certificates: next.length, ...placeOf(file) }, 'webhook client roots read');
    for (const listener of listeners) listener();
  };

  const look = async (): Promise<number> => {
    try {
      take(file === '' ? await readConfigMap(send) : await readFile(file, 'utf8'));
      lastProblem = '';
      return file === '' ? CLUSTER_AGAIN_MS : FILE_AGAIN_MS;
    } catch (err) {
      const problem = errorText(err);
      if (problem !== lastProblem) {
        const log = file === '' ? logger.info : logger.error;
        log(
          { problem, ...placeOf(file) },
          'webhook client roots cannot be read, callers with certificates get no priority',
        );
      }
      lastProblem = problem;
      return FAILED_AGAIN_MS;
    } finally {
      attempted();
    }
  };
  const work = createRepeatedWork(look, clock);

  return {
    current: () => roots,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      work.request();
      return firstAttempt;
    },
    stop: work.stop,
  };
}

function placeOf(file: string): object {
  return file === '' ? { configMap: 'kube-system/extension-apiserver-authentication' } : { file };
}

async function readConfigMap(send: SendRequest): Promise<string> {
  const answer = await send({ method: 'GET', path: CONFIG_MAP });
  if (answer.status !== 200) throw new Error(refusalText(answer));
  const data = isRecord(answer.body) ? answer.body['data'] : undefined;
  return KEYS.map((key) => (isRecord(data) ? data[key] : undefined))
    .filter((value) => typeof value === 'string')
    .join('\n');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The readable CA certificates: TLS would reject the whole list because of an unreadable one. */
function readCertificates(pem: string): readonly string[] {
  const readable = (pem.match(CERTIFICATE) ?? []).filter((each) => {
    try {
      return new X509Certificate(each).ca;
    } catch {
      return false;
    }
  });
  return [...new Set(readable)];
}
