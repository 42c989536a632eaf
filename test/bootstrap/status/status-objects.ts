import type { ObjectStatus } from '../../../src/status/conditions/condition.js';
import { runCommand } from '../../counterparts/command.js';
import type { ApiServer } from '../../counterparts/kubernetes/api-server.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { withVersions } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';

/** An object as the API server has it. */
export interface StoredObject {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly generation: number;
    readonly managedFields: readonly { readonly manager: string; readonly subresource?: string }[];
  };
  readonly status?: ObjectStatus;
}

const CONFIG = 'config.mesh.internal/v1alpha2';

export function quotaSpec(
  namespace: string,
  name = 'books',
  quota = 'requests',
  charge: number = 1,
): KubernetesManifest {
  return {
    apiVersion: CONFIG,
    kind: 'QuotaSpec',
    metadata: { name, namespace },
    spec: { rules: [{ quotas: [{ quota, charge }] }] },
  };
}

export function quotaBinding(namespace: string, name = 'books', spec = name): KubernetesManifest {
  return {
    apiVersion: CONFIG,
    kind: 'QuotaSpecBinding',
    metadata: { name, namespace },
    spec: { services: [{ name: 'books' }], quotaSpecs: [{ name: spec }] },
  };
}

export function serviceEntry(namespace: string, name: string): KubernetesManifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name, namespace },
    spec: { hosts: [`${name}.example.com`], ports: [{ number: 443, name: 'tls', protocol: 'TLS' }], resolution: 'DNS' },
  };
}

/** A CRD whose objects have no status of their own, as one that somebody else wrote. */
export function withoutStatus(crd: KubernetesManifest): KubernetesManifest {
  return withVersions(crd, (versions) => versions.map((version) => ({ ...version, subresources: {} })));
}

/** A service of two workloads. */
export function booksService(namespace: string): readonly KubernetesManifest[] {
  const metadata = { name: 'books', namespace };
  const ports = [{ name: 'http', port: 8080 }];
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'http', port: 80 }] } },
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata,
      subsets: [{ addresses: [{ ip: '10.244.1.1' }, { ip: '10.244.1.2' }], ports }],
    },
  ];
}

export async function stored(api: ApiServer, manifest: KubernetesManifest): Promise<StoredObject> {
  return (await api.client.get(manifest)) as StoredObject;
}

/** `status reason: message` of a condition; empty when there is none. */
export function conditionText({ status }: StoredObject, type: string): string {
  const condition = status?.conditions?.find((each) => each.type === type);
  return condition === undefined ? '' : `${condition.status} ${condition.reason}: ${condition.message}`;
}

/** Waits until a condition of an object is as told. */
export async function hasCondition(
  api: ApiServer,
  manifest: KubernetesManifest,
  type: string,
  expected: string,
): Promise<StoredObject> {
  let last = '';
  return await eventually(`${manifest.kind} ${manifest.metadata.name} ${type}=${expected}`, async () => {
    const object = await stored(api, manifest);
    const text = conditionText(object, type);
    if (text !== last) last = text;
    if (text !== expected) throw new Error(`it is ${last}`);
    return object;
  });
}

export function kubectl(api: ApiServer, ...args: readonly string[]): Promise<string> {
  return runCommand(['kubectl', '--kubeconfig', api.kubeconfig, ...args]);
}
