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

interface CrdVersion {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A CRD with other versions. */
export function withVersions(
  crd: KubernetesManifest,
  change: (versions: readonly CrdVersion[]) => readonly CrdVersion[],
): KubernetesManifest {
  const spec = crd['spec'] as { readonly versions: readonly CrdVersion[] };
  return { ...crd, spec: { ...spec, versions: change(spec.versions) } };
}

/** A CRD that lets everything through, as one that was there before: what is invalid gets as far as to us. */
export function withoutSchema(crd: KubernetesManifest): KubernetesManifest {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return withVersions(crd, (versions) => versions.map((version) => ({ ...version, schema: { openAPIV3Schema } })));
}

/** The CRDs of all custom kinds that are read. */
export function allCrds(): readonly KubernetesManifest[] {
  return readManifests('crds');
}

/** API groups of the custom kinds. */
export function meshGroups(): readonly string[] {
  return [...new Set(allCrds().map((crd) => (crd['spec'] as { readonly group: string }).group))];
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
