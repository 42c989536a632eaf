import type { Clock } from '../../base/clock.js';
import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import { createLeaderElection, type ElectionTiming } from '../../kubernetes/election/leader-election.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { Logger } from '../../telemetry/logger.js';
import type { CertificateAuthority } from '../authority/certificate-authority.js';
import { createRootDistributor, type RootDistributor } from './root-distributor.js';

export interface RootDistributionOptions {
  readonly authority: CertificateAuthority;
  readonly send: SendRequest;
  /** Creates a watcher for the time that this instance leads. */
  readonly createWatcher: () => ListWatcher;
  readonly meshDomain: string;
  /** Namespace of the control plane, which holds the Lease. */
  readonly namespace: string;
  /** POD_NAME; must be unique among instances. */
  readonly identity: string;
  readonly clock: Clock;
  /** Scope `pkica`. */
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
  readonly timing?: ElectionTiming;
}

/** Keeps the roots in the ConfigMap `mesh-ca-root-cert` of every namespace while this instance leads. */
export interface RootDistribution {
  start(): void;
  /** Settles when all writes have ended and the lease is released. */
  stop(): Promise<void>;
}

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-namespace-controller-election';

/**
 * Workloads verify the control plane and one another with these roots
 * (docs/reference/certificate-authority.md#root-distribution).
 */
export function createRootDistribution(options: RootDistributionOptions): RootDistribution {
  const { authority, createWatcher, namespace } = options;
  let distributor: RootDistributor | undefined;
  let ending: Promise<void> = Promise.resolve();

  const begin = (): void => {
    distributor = createRootDistributor({
      ...options,
      watcher: createWatcher(),
      roots: () => authority.bundle().roots.join(''),
    });
    distributor.start();
  };

  const end = (): void => {
    const ended = distributor;
    distributor = undefined;
    ending = ending.then(() => ended?.stop());
  };

  const election = createLeaderElection({
    ...options,
    lease: { namespace, name: LEASE },
    onChange: (isLeader) => (isLeader ? begin() : end()),
  });
  const endListening = authority.onChange(() => distributor?.rootsChanged());
  return {
    start: election.start,
    stop: async () => {
      endListening();
      end();
      await ending;
      await election.stop();
      await ending;
    },
  };
}
