import type { Clock } from '../base/clock.js';
import type { SendRequest } from '../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../kubernetes/watch/list-watcher.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { CertificateAuthority } from './authority/certificate-authority.js';
import { createLocalAuthority } from './authority/local-authority.js';
import { type PluggedIn, type PluggedInContents, pluggedInPaths, readPluggedIn } from './authority/plugged-in.js';
import { recordExpiry } from './authority/record-expiry.js';
import type { TtlLimits } from './authority/validity.js';
import { createRootRotator, type RootRotator, type SelfSignedSettings } from './rotation/root-rotator.js';
import { createMemoryRootStore } from './rotation/root-store.js';
import { createSecretRootStore, watchRootSecret } from './rotation/secret-root-store.js';
import { createWatchedFiles } from './watched-files.js';

/** The cluster that holds the secret of the root. */
export interface RootCluster {
  readonly send: SendRequest;
  /** With it, a replica sees a changed root at once; without it, at the next check. */
  readonly createWatcher?: (logger: Logger) => ListWatcher;
  /** Namespace of the control plane. */
  readonly namespace: string;
  readonly meshDomain: string;
}

export interface AuthorityOptions {
  /** ROOT_CA_DIR */
  readonly rootCaDir: string;
  readonly ttls: TtlLimits;
  readonly selfSigned: SelfSignedSettings;
  /** Undefined without an orchestrator; then the root is kept in memory. */
  readonly cluster: RootCluster | undefined;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** Scope `rootcertrotator`. */
  readonly rotatorLogger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

/** The authority of this process, from ROOT_CA_DIR or self-signed. */
export interface RunningAuthority extends CertificateAuthority {
  /**
   * Settles when the authority has a key. If the API server cannot be reached, it settles after the first attempt, and
   * `bundle` stays empty until there is a key.
   *
   * @throws PluggedInError when the CA in ROOT_CA_DIR is unusable
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The CA in ROOT_CA_DIR is unusable. The message names the file, the reason and the remedy. */
export class PluggedInError extends Error {
  constructor(message: string) {
    super(`ROOT_CA_DIR: ${message}`);
    this.name = 'PluggedInError';
  }
}

/**
 * Signs with the CA in ROOT_CA_DIR, or with a self-signed one (docs/reference/certificate-authority.md#ca-material).
 */
export function createAuthority(options: AuthorityOptions): RunningAuthority {
  const { rootCaDir, clock, logger, metrics, cluster } = options;
  const authority = createLocalAuthority({ clock, ttls: options.ttls });
  const files = createWatchedFiles({
    files: pluggedInPaths(rootCaDir),
    clock,
    onChange: (contents) => react(read(contents)),
  });
  let rotator: RootRotator | undefined;
  let watcher: ListWatcher | undefined;
  let extraRoots = '';
  let endRecording = (): void => undefined;

  const read = (contents: PluggedInContents): PluggedIn => readPluggedIn(rootCaDir, contents, clock.now());

  const reactPluggedIn = (found: PluggedIn): void => {
    const remedy = 'the CA that was loaded before stays in force; correct the files';
    if (found.type === 'none') logger.error({ rootCaDir, remedy }, 'ca in ROOT_CA_DIR removed');
    else if (found.type === 'refused') {
      logger.error({ reason: found.reason, remedy }, 'ca in ROOT_CA_DIR unusable');
    } else {
      authority.replace(found.material);
      logger.info({ rootCaDir, notAfter: found.material.notAfter }, 'ca in ROOT_CA_DIR reloaded');
    }
  };

  const reactSelfSigned = (found: PluggedIn): void => {
    if (found.type === 'none') {
      extraRoots = found.extraRoots;
      rotator?.extraRootsChanged();
      return;
    }
    const remedy = 'restart to sign with it';
    logger.warn({ rootCaDir, remedy }, 'ca in ROOT_CA_DIR ignored until restart');
  };

  const react = (found: PluggedIn): void => (rotator === undefined ? reactPluggedIn(found) : reactSelfSigned(found));

  return {
    bundle: authority.bundle,
    issue: authority.issue,
    onChange: authority.onChange,
    start: async () => {
      const found = read(await files.start());
      if (found.type === 'refused') {
        await files.stop();
        throw new PluggedInError(found.reason);
      }
      endRecording = recordExpiry({ authority, metrics, clock });
      if (found.type === 'material') {
        authority.replace(found.material);
        logger.info({ rootCaDir, notAfter: found.material.notAfter }, 'ca in ROOT_CA_DIR loaded');
        return;
      }
      extraRoots = found.extraRoots;
      rotator = createRootRotator({
        ...options.selfSigned,
        store: cluster === undefined ? createMemoryRootStore() : createSecretRootStore(cluster),
        authority,
        extraRoots: () => extraRoots,
        clock,
        logger: options.rotatorLogger,
        random: options.random,
      });
      await rotator.start();
      if (cluster?.createWatcher === undefined || options.selfSigned.checkIntervalMs <= 0) return;
      watcher = cluster.createWatcher(options.rotatorLogger);
      watchRootSecret(watcher, cluster.namespace, rotator.versionSeen);
    },
    stop: async () => {
      endRecording();
      await files.stop();
      await watcher?.stop();
      await rotator?.stop();
    },
  };
}
