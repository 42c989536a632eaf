import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { type MeshObject, objectKey } from '../../../src/config/object.js';
import type { Service } from '../../../src/model/service.js';
import { buildContext, type ContextParts, MESH } from '../context-builder.js';

/** A mesh with the embedded server, whose checks are on. */
export const EMBEDDED: PolicyMeshConfig = {
  ...MESH.policy,
  mixerCheckServer: 'embedded',
  mixerReportServer: 'embedded',
  disablePolicyChecks: false,
  disableMixerHttpReports: false,
};

/** A mesh with servers of its own. */
export const SERVERS: PolicyMeshConfig = {
  ...EMBEDDED,
  mixerCheckServer: 'policy.example.com:9091',
  mixerReportServer: 'reports.example.com:9092',
};

export const DISCOVERY_ADDRESS = 'meshd.mesh-system.svc:15010';

/** A snapshot with these policy settings and objects. */
export function policyContext(
  policy: Partial<PolicyMeshConfig>,
  parts: Omit<ContextParts, 'mesh'> = {},
  objects: readonly MeshObject[] = [],
) {
  const defaultConfig = { ...MESH.defaultConfig, discoveryAddress: DISCOVERY_ADDRESS };
  const mesh = { ...MESH, policy: { ...MESH.policy, ...policy }, defaultConfig };
  const byKind = new Map<string, Map<string, MeshObject>>();
  for (const object of objects) {
    const ofKind = byKind.get(object.kind) ?? new Map<string, MeshObject>();
    byKind.set(
      object.kind,
      ofKind.set(objectKey(object.kind, object.metadata.namespace, object.metadata.name), object),
    );
  }
  return { ...buildContext({ ...parts, mesh }), objects: byKind };
}

export function buildBinding(kind: 'QuotaSpecBinding' | 'HTTPAPISpecBinding', service: object): MeshObject {
  const references = kind === 'QuotaSpecBinding' ? 'quotaSpecs' : 'apiSpecs';
  return {
    kind,
    apiVersion: 'config.mesh.internal/v1alpha2',
    metadata: { name: 'binding', namespace: 'default', labels: {}, annotations: {}, resourceVersion: '1' },
    body: { services: [{ labels: {}, ...service }], [references]: [{ name: 'spec' }] },
  };
}

/** All ports of a service as those of a workload, one thousand above. */
export function targetsOf(service: Service) {
  return service.ports.map((port) => ({ service, port, targetPort: port.number + 1000 }));
}
