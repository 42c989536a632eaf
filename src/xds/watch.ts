import type { ResourceDiff, ResourceSet } from '../envoy/resource-set.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { WatchSnapshot } from '../model/proxy-connection.js';
import type { NameSet } from '../push/name-set.js';

/**
 * Whether a proxy is owed a response of one type: `ifChanged` after a push that may concern it, `always`
 * after it asked.
 */
export type Due = 'no' | 'ifChanged' | 'always';

/** One resource type on one stream. Only the session that owns it changes it. */
export interface Watch {
  readonly generator: ResourceGenerator;
  /** Undefined for everything. */
  names: NameSet | undefined;
  due: Due;
  /** A response is out and neither acknowledged nor rejected: nothing else is sent until it is. */
  inFlight: boolean;
  /** What the last response brought the proxy to. */
  sent: ResourceSet | undefined;
  /** What the proxy last acknowledged. */
  accepted: ResourceSet | undefined;
  /** What the proxy last rejected, until it has something else. */
  refused: ResourceSet | undefined;
  sentNonce: string;
  sentVersion: string;
  sentAt: Date | undefined;
  ackedNonce: string;
  ackedVersion: string;
  /** Ledger root of the newest configuration that `sent` still stands for. */
  sentRoot: string;
  ackedRoot: string;
  rejection: WatchSnapshot['rejection'];
  /**
   * Clusters that the proxy is warming because they changed: it waits for their endpoints, even for
   * those that did not change.
   */
  warming: ResourceDiff | undefined;
}

export function createWatch(generator: ResourceGenerator): Watch {
  return {
    generator,
    names: undefined,
    due: 'always',
    inFlight: false,
    sent: undefined,
    accepted: undefined,
    refused: undefined,
    sentNonce: '',
    sentVersion: '',
    sentAt: undefined,
    ackedNonce: '',
    ackedVersion: '',
    sentRoot: '',
    ackedRoot: '',
    rejection: undefined,
    warming: undefined,
  };
}

export function snapshotWatch(watch: Watch): WatchSnapshot {
  return {
    typeUrl: watch.generator.typeUrl,
    resourceNames: watch.names?.names ?? [],
    sentNonce: watch.sentNonce,
    ackedNonce: watch.ackedNonce,
    sentVersion: watch.sentVersion,
    ackedVersion: watch.ackedVersion,
    ackedRoot: watch.ackedRoot,
    ...(watch.rejection === undefined ? {} : { rejection: watch.rejection }),
    ...(watch.sentAt === undefined ? {} : { sentAt: watch.sentAt }),
  };
}
