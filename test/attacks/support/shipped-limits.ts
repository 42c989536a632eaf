import { readManifests } from '../../sources/kubernetes/support/manifests.js';

/** Limits of the control plane container in `manifests/`. */
export interface ShippedLimits {
  readonly memoryBytes: number;
  readonly nodeOptions: string;
}

interface Container {
  readonly name: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** Reads the limits from the Deployment `meshd`. */
export function readShippedLimits(): ShippedLimits {
  const deployment = readManifests('manifests').find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'meshd',
  );
  const spec = deployment?.['spec'] as
    | { readonly template: { readonly spec: { readonly containers: readonly Container[] } } }
    | undefined;
  const container = spec?.template.spec.containers.find(({ name }) => name === 'discovery');
  if (container === undefined) throw new Error('manifests/ have no Deployment meshd with a container discovery');
  const { memory } = container.resources.limits;
  const [, amount = '', unit = ''] = /^(\d+)([KMG]i)$/.exec(memory) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new Error(`the memory limit ${memory} is not in Ki, Mi or Gi`);
  return {
    memoryBytes: Number(amount) * factor,
    nodeOptions: container.env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
  };
}
