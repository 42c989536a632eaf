import type { Clock } from '../../base/clock.js';
import { GATEWAY_API_GROUP, gatewayControllerName } from '../../config/gateway-api/gateway-api-names.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { GatewayApiReport } from '../../model/gateway-api/report.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import type { PushContext } from '../../model/push-context.js';
import {
  classStatus,
  gatewayStatus,
  routeStatus,
  type StatusFields,
  type StatusInputs,
} from '../../status/gateway-api/gateway-statuses.js';
import type { WantedStatus } from '../../status/kubernetes/api-status-loop.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Cluster, ClusterConnection } from '../cluster-connection.js';
import { statusSettings } from '../map-options.js';
import type { Options } from '../options.js';
import { createCredentials } from '../trust/create-credentials.js';
import { type ApiStatusWork, startApiStatusWork } from './api-status-work.js';
import { createCertificateStates } from './certificate-states.js';
import type { StatusSettings } from './status-settings.js';

/** The parts of the process that statuses depend on. */
export interface GatewayStatusSources {
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
  readonly kinds: KindRegistry;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  /** The newest snapshot. */
  readonly context: () => PushContext | undefined;
  readonly logging: Logging;
  readonly clock: Clock;
}

interface GatewayStatusParts extends Omit<GatewayStatusSources, 'cluster' | 'logging'> {
  readonly settings: Pick<StatusSettings, 'perSecond' | 'burst' | 'namespace' | 'appNamespaces' | 'election'>;
  readonly cluster: Pick<ClusterConnection, 'open'>;
  readonly controllerName: string;
  /** The Secrets of the cluster; stopped with the statuses. */
  readonly credentials: CredentialStore;
  /** Scope `status`. */
  readonly logger: Logger;
}

/** Writes the statuses of GatewayClasses, Gateways and HTTPRoutes (docs/gateway-api.md#status). */
export interface GatewayStatusRuntime {
  /** @throws ClusterAccessError when there is no cluster to write to */
  start(): Promise<void>;
  /** A snapshot was made. */
  observe(snapshot: PushContext): void;
  /** Settles when running writes are answered and the Lease is released. */
  stop(): Promise<void>;
}

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-gateway-api-leader';
/** Kinds without a status of this controller. */
const WITHOUT_STATUS = 'ReferenceGrant';

/** Undefined without a cluster, and without NAV_ENABLED_SERVICE_APIS: nothing is read or written. */
export function openGatewayStatus(options: Options, sources: GatewayStatusSources): GatewayStatusRuntime | undefined {
  const { cluster, logging, clock } = sources;
  const { navEnabledServiceApis, meshDomain } = options.environment;
  if (!navEnabledServiceApis || cluster === undefined) return undefined;
  return createGatewayStatus({
    ...sources,
    cluster,
    settings: statusSettings(options),
    controllerName: gatewayControllerName(meshDomain),
    credentials: createCredentials({ options, cluster, logging, clock }),
    logger: logging.scope('status'),
  });
}

function createGatewayStatus(parts: GatewayStatusParts): GatewayStatusRuntime {
  const { settings, kinds, identity, controllerName, context, credentials, logger, clock } = parts;
  let work: ApiStatusWork | undefined;
  const certificates = createCertificateStates(credentials, () => work?.changed());
  let isStopped = false;

  const run = (cluster: Cluster): ApiStatusWork =>
    startApiStatusWork({
      ...{ cluster, settings, identity, clock, logger },
      lease: LEASE,
      definitions: kinds.definitions.filter(
        ({ group, kind }) => group === GATEWAY_API_GROUP && kind !== WITHOUT_STATUS,
      ),
      wanted: () => {
        const report = context()?.gatewayApi.report;
        return report === undefined ? [] : wantedStatuses(report, controllerName, certificates.problemOf, clock);
      },
    });

  return {
    start: async () => {
      const cluster = await parts.cluster.open();
      if (!isStopped) work = run(cluster);
    },
    observe: () => work?.changed(),
    stop: async () => {
      isStopped = true;
      certificates.close();
      await work?.stop();
      await credentials.stop();
    },
  };
}

/** The statuses of all objects of a report, but of those whose generation is unknown: they are of files. */
function wantedStatuses(
  { classes, gateways, routes }: GatewayApiReport,
  controllerName: string,
  problemOf: Parameters<typeof gatewayStatus>[2],
  clock: Clock,
): readonly WantedStatus[] {
  const wantedOf = <Report extends { readonly key: string; readonly generation: number | undefined }>(
    report: Report,
    statusOf: (report: Report, inputs: StatusInputs) => StatusFields,
  ): readonly WantedStatus[] => {
    const { key, generation } = report;
    if (generation === undefined) return [];
    return [{ key, desired: (present) => statusOf(report, { present, generation, now: clock.now() }) }];
  };
  return [
    ...classes.flatMap((report) => wantedOf(report, classStatus)),
    ...gateways.flatMap((report) => wantedOf(report, (each, inputs) => gatewayStatus(each, inputs, problemOf))),
    ...routes.flatMap((report) => wantedOf(report, (each, inputs) => routeStatus(each, inputs, controllerName))),
  ];
}
