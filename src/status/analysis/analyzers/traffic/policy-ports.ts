import type { ServiceSpec } from '../../../../config/core/service.js';
import { keyOf } from '../../../../config/object.js';
import type { PeerAuthenticationSpec } from '../../../../config/security/peer-authentication.js';
import { selectedLabels } from '../../../../model/security/oldest-first.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { WorkloadGroup } from '../../traffic/workload-index.js';

/** Ports of PeerAuthentications that no selected workload has. */
export const policyPorts: ObjectAnalyzer = {
  kinds: ['PeerAuthentication'],
  find: (object, { workloads }) => {
    const spec = object.body as PeerAuthenticationSpec;
    const named = Object.keys(spec.portLevelMtls ?? {});
    const wanted = selectedLabels(spec);
    if (named.length === 0 || wanted.length === 0) return [];
    const served = new Set(workloads.selected(object.metadata.namespace, wanted).flatMap(portsOf));
    if (served.size === 0) return [];
    return named.flatMap((port) => {
      if (served.has(Number(port))) return [];
      const ports = [...served].sort((first, second) => first - second).join(', ');
      const where = { object: keyOf(object), field: `spec.portLevelMtls["${port}"]` };
      return [createMessage('missingPort', where, `no selected workload has port ${port}: they have ${ports}`)];
    });
  },
};

/** Ports that containers declare, and target ports of Services. */
function portsOf({ ports, services }: WorkloadGroup): readonly number[] {
  const targets = services.flatMap(({ body }) =>
    (body as { readonly spec: ServiceSpec }).spec.ports.map(({ port, targetPort = port }) => targetPort),
  );
  return [...ports, ...targets.filter((target) => typeof target === 'number')];
}
