import type { Clock } from '../base/clock.js';
import { rpcCodeOf } from '../base/rpc-code.js';
import { shortTypeName } from '../envoy/type-urls.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import { createPeerLog } from '../telemetry/peer-log.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import type { Rejection } from './discovery-protocol.js';
import { addressOf } from './limits/peers.js';
import { LIMIT_SETTINGS, LimitError } from './limits/xds-limits.js';
import { MAX_WITHHELD_PATCHES } from './patches/patch-trial.js';
import { shorten } from './shorten.js';
import type { StreamError } from './stream-error.js';
import type { WatchedResource } from './watched-resource.js';

/** A proxy in log lines and metrics. */
export interface ReportedProxy {
  /** Its identity, or its address if it has none. */
  readonly peer: string;
  /** `<node id>-<counter>` */
  readonly connection: string;
  readonly node: string;
  /** Of its configuration. */
  readonly namespace: string;
}

/** Patches that a proxy gets no more, or too many of them. */
export interface WithheldReport {
  readonly type: string;
  /** The EnvoyFilters, each with the place of its patch. */
  readonly patches: readonly string[];
  /** Whether they are withheld. False: MAX_WITHHELD_PATCHES are withheld already. */
  readonly isWithheld: boolean;
}

/** Counts and logs events that a peer can repeat; the number of log lines is limited for each peer. */
export interface PeerReports {
  /** Records a rejection in its subscription. @returns whether it rejects the newest response, for the first time */
  rejected(proxy: ReportedProxy, watched: WatchedResource, rejection: Rejection): boolean;
  /** The proxy rejected patches of EnvoyFilters. */
  rejectedPatches(proxy: ReportedProxy, report: WithheldReport): void;
  /** A response goes out though the proxy has not answered the one before in time. */
  unacknowledged(proxy: ReportedProxy, type: string): void;
  /** This side ends a stream. */
  refused(peer: string, error: StreamError): void;
  /** A proxy asks for more names of one type than a subscription may have; its stream goes on. */
  beyondNames(proxy: ReportedProxy, type: string, number: number): void;
  /** A stream sends requests faster than they are read. */
  tooFast(peer: string): void;
}

type ReportedMetrics = Pick<PushMetrics, 'limitMet' | 'patchesWithheld' | 'rejected' | 'unacknowledged'>;

const LEARN_LESS = 'annotate the pod with sidecar.mesh.internal/onDemand: "false", or raise the setting';
/** Patches that one log line names. */
const MAX_LOGGED_PATCHES = 10;

export function createPeerReports(metrics: ReportedMetrics, logger: Logger, clock: Clock): PeerReports {
  // A peer that reconnects has another port, and can send another reason each time.
  const refusals = createSubjectLog(logger, clock);
  const paces = createSubjectLog(logger, clock);
  const rejections = createPeerLog(logger, clock);
  const patchRejections = createPeerLog(logger, clock);
  const waits = createSubjectLog(logger, clock);
  const names = createPeerLog(logger, clock);
  return {
    rejected: ({ peer, connection, node }, watched, { nonce, code: number, message }) => {
      const type = shortTypeName(watched.provider.typeUrl);
      const code = rpcCodeOf(number);
      metrics.rejected(type, node, code);
      const rejection = shorten(message);
      const fields = { connection, type, code, nonce, rejection };
      if (!watched.isUnanswered || nonce !== watched.sentNonce) {
        logger.debug(fields, 'proxy rejected a response again, or an older response');
        return false;
      }
      rejections.warn(peer, fields, 'proxy rejected its configuration and keeps the last accepted one');
      watched.reject(nonce, code, rejection);
      return true;
    },
    rejectedPatches: ({ peer, connection }, { type, patches, isWithheld }) => {
      const fields = { connection, type, patches: patches.slice(0, MAX_LOGGED_PATCHES), number: patches.length };
      if (isWithheld) {
        metrics.patchesWithheld(type, patches.length);
        patchRejections.warn(peer, fields, 'patches of EnvoyFilters withheld from a proxy that rejected them');
      } else {
        metrics.limitMet('withheldPatches');
        const limit = `${MAX_WITHHELD_PATCHES} patches of one proxy`;
        const remedy = 'correct the EnvoyFilters that /debug/config_problems names';
        patchRejections.warn(peer, { ...fields, limit, remedy }, 'proxy rejects more patches than are withheld');
      }
    },
    unacknowledged: ({ peer, connection }, type) => {
      metrics.unacknowledged(type);
      const fields = { peer, connection, type, setting: LIMIT_SETTINGS.ackMs };
      const message = 'response sent although the proxy did not acknowledge the last one in time';
      waits.warn(`${connection} ${type}`, fields, message);
    },
    refused: (peer, error) => {
      const { code, message: reason } = error;
      const limit = error instanceof LimitError ? error.limit : undefined;
      if (limit !== undefined) metrics.limitMet(limit);
      const fields = { peer, code, reason, ...(limit === undefined ? {} : { limit }) };
      refusals.warn(`${addressOf(peer)} ${limit ?? code}`, fields, 'stream refused');
    },
    beyondNames: ({ peer, connection }, type, number) => {
      metrics.limitMet('names');
      const fields = { connection, type, number, setting: LIMIT_SETTINGS.names, remedy: LEARN_LESS };
      names.warn(peer, fields, 'proxy on demand has asked for more names than a subscription may have');
    },
    tooFast: (peer) => {
      metrics.limitMet('requestsPerSecond');
      const fields = { peer, setting: LIMIT_SETTINGS.requestsPerSecond };
      paces.warn(addressOf(peer), fields, 'requests of a stream wait: the peer sends them too fast');
    },
  };
}
