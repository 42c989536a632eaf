/** Names of the annotations and labels that injection reads and writes, under the mesh domain. */
export interface InjectionNames {
  readonly inject: string;
  readonly status: string;
  readonly templates: string;
  readonly interceptionMode: string;
  readonly xdsProtocol: string;
  readonly onDemand: string;
  readonly enableCoreDump: string;
  readonly statusPort: string;
  readonly readinessInitialDelaySeconds: string;
  readonly readinessPeriodSeconds: string;
  readonly readinessFailureThreshold: string;
  readonly includeOutboundIpRanges: string;
  readonly excludeOutboundIpRanges: string;
  readonly includeInboundPorts: string;
  readonly excludeInboundPorts: string;
  readonly excludeOutboundPorts: string;
  readonly mergeMetrics: string;
  readonly proxyConfig: string;
  readonly labels: {
    readonly tlsMode: string;
    readonly canonicalName: string;
    readonly canonicalRevision: string;
    readonly revision: string;
  };
}

export function createInjectionNames(meshDomain: string): InjectionNames {
  const readiness = `readiness.status.sidecar.${meshDomain}`;
  const traffic = `traffic.sidecar.${meshDomain}`;
  return {
    inject: `sidecar.${meshDomain}/inject`,
    status: `sidecar.${meshDomain}/status`,
    templates: `inject.${meshDomain}/templates`,
    interceptionMode: `sidecar.${meshDomain}/interceptionMode`,
    xdsProtocol: `sidecar.${meshDomain}/xdsProtocol`,
    onDemand: `sidecar.${meshDomain}/onDemand`,
    enableCoreDump: `sidecar.${meshDomain}/enableCoreDump`,
    statusPort: `status.sidecar.${meshDomain}/port`,
    readinessInitialDelaySeconds: `${readiness}/initialDelaySeconds`,
    readinessPeriodSeconds: `${readiness}/periodSeconds`,
    readinessFailureThreshold: `${readiness}/failureThreshold`,
    includeOutboundIpRanges: `${traffic}/includeOutboundIPRanges`,
    excludeOutboundIpRanges: `${traffic}/excludeOutboundIPRanges`,
    includeInboundPorts: `${traffic}/includeInboundPorts`,
    excludeInboundPorts: `${traffic}/excludeInboundPorts`,
    excludeOutboundPorts: `${traffic}/excludeOutboundPorts`,
    mergeMetrics: `metrics.${meshDomain}/merge-metrics`,
    proxyConfig: `proxy.${meshDomain}/config`,
    labels: {
      tlsMode: `security.${meshDomain}/tlsMode`,
      canonicalName: `service.${meshDomain}/canonical-name`,
      canonicalRevision: `service.${meshDomain}/canonical-revision`,
      revision: `${meshDomain}/rev`,
    },
  };
}
