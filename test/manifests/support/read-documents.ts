import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { projectRoot } from '../../counterparts/project-root.js';

/** The fields of an object of manifests/ that tests read. */
export interface ManifestDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [field: string]: unknown;
}

export interface Deployment extends ManifestDocument {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: Readonly<Record<string, string>>;
      };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly [Container];
        readonly volumes: readonly object[];
        readonly [field: string]: unknown;
      };
    };
  };
}

/**
 * The objects of the YAML files of one folder of the repository, in the order in which `kubectl apply -f` sends them.
 */
export function readDocuments(folder: string): readonly ManifestDocument[] {
  const absolute = join(projectRoot(), folder);
  return readdirSync(absolute)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => loadAll(readFileSync(join(absolute, file), 'utf8')) as ManifestDocument[]);
}

/** All objects to apply: the control plane, and the optional policy servers. */
export function allDocuments(): readonly ManifestDocument[] {
  return [...readDocuments('manifests'), ...readDocuments('manifests/policy')];
}

/** @throws Error if there is not exactly one such object */
export function findDocument(kind: string, name: string): ManifestDocument {
  const [found, ...others] = allDocuments().filter((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined || others.length > 0) throw new Error(`manifests/ should have one ${kind} ${name}`);
  return found;
}

export function findDeployment(name: string): Deployment {
  return findDocument('Deployment', name) as Deployment;
}

/** The value of a container's `--name=value` argument. */
export function argument({ args, name: container }: Container, name: string): string {
  const found = args.find((each) => each.startsWith(`--${name}=`));
  if (found === undefined) throw new Error(`container ${container} has no argument --${name}`);
  return found.slice(name.length + 3);
}
