import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { projectRoot } from '../../../counterparts/project-root.js';

/** All objects of the YAML files of a folder of the repository. */
export function readManifests(folder: string): readonly KubernetesManifest[] {
  const absolute = join(projectRoot(), folder);
  return readdirSync(absolute)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => loadAll(readFileSync(join(absolute, file), 'utf8')) as KubernetesManifest[])
    .filter((document) => document !== null && document !== undefined);
}

const NETWORKING = 'networking.mesh.internal';

/** A CRD of a networking kind that lets everything through: validation is ours, as in a cluster that had it before. */
export function networkingCrd(
  kind: string,
  plural: string,
  versions: readonly string[] = ['v1beta1'],
): KubernetesManifest {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${NETWORKING}` },
    spec: {
      group: NETWORKING,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}

/** The CRDs of all custom kinds that are read. */
export function allCrds(): readonly KubernetesManifest[] {
  return [
    ...readManifests('crds'),
    networkingCrd('ServiceEntry', 'serviceentries'),
    networkingCrd('WorkloadEntry', 'workloadentries'),
  ];
}

export function namespaceManifest(name: string): KubernetesManifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function serviceManifest(name: string, namespace = 'default', spec: object = {}): KubernetesManifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ name: 'http', port: 80 }], ...spec },
  };
}

export function quotaSpecManifest(
  name: string,
  namespace = 'default',
  charge: number | string = 1,
): KubernetesManifest {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpec',
    metadata: { name, namespace },
    spec: { rules: [{ quotas: [{ quota: 'requests', charge }] }] },
  };
}

export function podManifest(name: string, namespace = 'default', ip = '10.244.1.1'): KubernetesManifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: { nodeName: 'node-a', containers: [{ name: 'app', image: 'app', ports: [{ containerPort: 8080 }] }] },
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
