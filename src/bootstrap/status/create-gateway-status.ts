import type { Clock } from '../../base/clock.js';
import { GATEWAY_API_GROUP, gatewayControllerName } from '../../config/gateway-api/gateway-api-names.js';
import type { GatewayApiReport } from '../../model/gateway-api/report.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import {
  classStatus,
  gatewayStatus,
  routeStatus,
  type StatusFields,
  type StatusInputs,
} from '../../status/gateway-api/gateway-statuses.js';
import type { WantedStatus } from '../../status/kubernetes/api-status-loop.js';
import type { Cluster } from '../cluster-connection.js';
import { statusSettings } from '../map-options.js';
import type { Options } from '../options.js';
import {
  type ApiStatusRuntime,
  type ApiStatusSources,
  type ApiStatusWork,
  startApiStatusWork,
} from './api-status-work.js';
import { createCertificateStates } from './certificate-states.js';

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-gateway-api-leader';
/** Kinds without a status of this controller. */
const WITHOUT_STATUS = 'ReferenceGrant';

/**
 * Writes the statuses of GatewayClasses, Gateways and HTTPRoutes (docs/gateway-api.md#status). Undefined without a cluster,
 * and without NAV_ENABLED_SERVICE_APIS: nothing is read or written.
 *
 * @param credentials the Secrets of the cluster
 */
export function openGatewayStatus(
  options: Options,
  { cluster, kinds, identity, context, logging, clock }: ApiStatusSources,
  credentials: CredentialStore,
): ApiStatusRuntime | undefined {
  const { navEnabledServiceApis, meshDomain } = options.environment;
  if (!navEnabledServiceApis || cluster === undefined) return undefined;
  const controllerName = gatewayControllerName(meshDomain);
  const definitions = kinds.definitions.filter(
    ({ group, kind }) => group === GATEWAY_API_GROUP && kind !== WITHOUT_STATUS,
  );
  let work: ApiStatusWork | undefined;
  const certificates = createCertificateStates(credentials, () => work?.changed());
  let isStopped = false;

  const run = (target: Cluster): ApiStatusWork =>
    startApiStatusWork({
      ...{ cluster: target, identity, definitions, clock },
      settings: statusSettings(options),
      lease: LEASE,
      logger: logging.scope('status'),
      wanted: () => {
        const report = context()?.gatewayApi.report;
        return report === undefined ? [] : wantedStatuses(report, controllerName, certificates.problemOf, clock);
      },
    });

  return {
    start: async () => {
      const target = await cluster.open();
      if (!isStopped) work = run(target);
    },
    observe: () => work?.changed(),
    stop: async () => {
      isStopped = true;
      certificates.close();
      await work?.stop();
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
