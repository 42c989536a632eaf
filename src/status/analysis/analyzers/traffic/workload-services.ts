import type { ServiceSpec } from '../../../../config/core/service.js';
import { keyOf } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { WorkloadGroup } from '../../traffic/workload-index.js';

/** Pods of Jobs serve no requests. */
const JOB_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];

/** Workloads of the mesh that no Service selects. */
export function findWorkloadsWithoutService(index: TrafficIndex): readonly AnalysisMessage[] {
  return index.workloads.groups.flatMap(({ services, object, name, namespace, labels, hasProxy, refusesProxy }) => {
    const isOfMesh = hasProxy ?? (object.startsWith('Pod/') && index.isInjected(namespace));
    if (services.length > 0 || !isOfMesh || refusesProxy || JOB_LABELS.some((label) => label in labels)) return [];
    const text = `no Service selects the workload ${name}, so the mesh has no route to it`;
    return [createMessage('workloadWithoutService', { object }, text)];
  });
}

/** Workloads whose Services give one of their ports different protocols. */
export function findDifferingProtocols(index: TrafficIndex): readonly AnalysisMessage[] {
  return index.workloads.groups.flatMap((group) => {
    if (group.services.length < 2) return [];
    return differingPorts(group, index).map((text) =>
      createMessage('differingProtocols', { object: group.object }, text),
    );
  });
}

function differingPorts({ services, name }: WorkloadGroup, index: TrafficIndex): readonly string[] {
  const byTarget = new Map<string | number, { readonly service: string; readonly protocol: string }>();
  const texts: string[] = [];
  for (const object of services) {
    const ports = index.serviceOfObject(object)?.ports ?? [];
    for (const { port, targetPort = port } of (object.body as { readonly spec: ServiceSpec }).spec.ports) {
      const protocol = ports.find(({ number }) => number === port)?.protocol;
      if (protocol === undefined || protocol === 'udp') continue;
      const first = byTarget.get(targetPort);
      if (first === undefined) byTarget.set(targetPort, { service: keyOf(object), protocol });
      else if (first.protocol !== protocol && first.service !== keyOf(object)) {
        texts.push(
          `port ${targetPort} of the workload ${name} is ${first.protocol} by ${first.service} and ${protocol} by ${keyOf(object)}`,
        );
      }
    }
  }
  return texts;
}
