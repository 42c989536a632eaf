import type { Manifest } from './config-folder.js';

export interface ServicePort {
  /** The prefix before the first `-` names the protocol. */
  readonly name: string;
  readonly port: number;
  /** Default: the same number. */
  readonly targetPort?: number;
}

export interface ServiceOptions {
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** `None` makes it headless. */
  readonly clusterIP: string;
  readonly ports: readonly ServicePort[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export function serviceManifest({
  name,
  namespace = 'default',
  clusterIP,
  ports,
  annotations = {},
}: ServiceOptions): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations },
    spec: { clusterIP, selector: { app: name }, ports },
  };
}

/** Endpoints of the service on the pods at these addresses. */
export function endpointsManifest(
  { name, namespace = 'default', ports }: ServiceOptions,
  addresses: readonly string[],
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, namespace },
    subsets: [
      {
        addresses: addresses.map((ip) => ({ ip })),
        ports: ports.map(({ name: portName, port, targetPort = port }) => ({ name: portName, port: targetPort })),
      },
    ],
  };
}

export function serviceEntryManifest(
  name: string,
  spec: Manifest,
  namespace = 'default',
  annotations: Readonly<Record<string, string>> = {},
): Manifest {
  const metadata = { name, namespace, annotations };
  return { apiVersion: 'networking.mesh.internal/v1beta1', kind: 'ServiceEntry', metadata, spec };
}
