/** Annotations without the mesh domain, by the kinds that have them (docs/annotations.md). `%` stands for the domain. */
const ANNOTATIONS: readonly (readonly [annotation: string, kinds: readonly string[]])[] = [
  ['networking.%/exportTo', ['Service']],
  ['policy.%/failPolicy', ['Service', 'ServiceEntry']],
  ['policy.%/maxRetry', ['Service', 'ServiceEntry']],
  ['policy.%/baseRetryWait', ['Service', 'ServiceEntry']],
  ['policy.%/maxRetryWait', ['Service', 'ServiceEntry']],
  ['policy.%/bindings-from', ['Namespace']],
  ['policy.%/check', ['Pod']],
  ['policy.%/checkRetries', ['Pod']],
  ['policy.%/checkBaseRetryWaitTime', ['Pod']],
  ['policy.%/checkMaxRetryWaitTime', ['Pod']],
  ['sidecar.%/inject', ['Pod']],
  ['sidecar.%/status', ['Pod']],
  ['sidecar.%/interceptionMode', ['Pod']],
  ['sidecar.%/enableCoreDump', ['Pod']],
  ['sidecar.%/xdsProtocol', ['Pod']],
  ['sidecar.%/onDemand', ['Pod']],
  ['status.sidecar.%/port', ['Pod']],
  ['readiness.status.sidecar.%/initialDelaySeconds', ['Pod']],
  ['readiness.status.sidecar.%/periodSeconds', ['Pod']],
  ['readiness.status.sidecar.%/failureThreshold', ['Pod']],
  ['traffic.sidecar.%/includeOutboundIPRanges', ['Pod']],
  ['traffic.sidecar.%/excludeOutboundIPRanges', ['Pod']],
  ['traffic.sidecar.%/includeInboundPorts', ['Pod']],
  ['traffic.sidecar.%/excludeInboundPorts', ['Pod']],
  ['traffic.sidecar.%/excludeOutboundPorts', ['Pod']],
  ['inject.%/templates', ['Pod']],
  ['metrics.%/merge-metrics', ['Pod']],
  ['proxy.%/config', ['Pod']],
  ['proxy.%/rootFile', ['Pod']],
  ['proxy.%/tokenFile', ['Pod']],
];

/** The kinds that have the annotation; empty for an unknown annotation. */
export function kindsOfAnnotation(name: string, meshDomain: string): readonly string[] {
  return ANNOTATIONS.find(([annotation]) => named(annotation, meshDomain) === name)?.[1] ?? [];
}

export function isAnnotationOf(name: string, kind: string, meshDomain: string): boolean {
  return kindsOfAnnotation(name, meshDomain).includes(kind);
}

/** All annotations of a kind. */
export function annotationsOf(kind: string, meshDomain: string): readonly string[] {
  return ANNOTATIONS.filter(([, kinds]) => kinds.includes(kind)).map(([annotation]) => named(annotation, meshDomain));
}

function named(annotation: string, meshDomain: string): string {
  return annotation.replace('%', meshDomain);
}
