import type { Manifest } from '../counterparts/config-folder.js';
import type { GrpcBackend } from '../counterparts/grpc/backend.js';
import type { GrpcLanguage } from '../counterparts/grpc/grpc-client.js';
import { endpointsManifest, serviceEntryManifest, serviceManifest } from '../counterparts/manifests.js';

/** The port that clients dial; the backends have ports of their own. */
export const PORT = 50_051;

/** The bootstrap of a client or server in namespace `default`. */
export function bootstrapOf(
  language: GrpcLanguage,
  grpcPort: number,
  { metadata = {}, certificateProviders }: { readonly metadata?: object; readonly certificateProviders?: object } = {},
): object {
  return {
    xds_servers: [
      {
        server_uri: `127.0.0.1:${grpcPort}`,
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: {
      id: `sidecar~127.0.0.1~${language}.default~default.svc.cluster.local`,
      metadata,
      locality: { region: 'north', zone: 'a' },
    },
    server_listener_resource_name_template: 'grpc/lds/inbound/%s',
    ...(certificateProviders === undefined ? {} : { certificate_providers: certificateProviders }),
  };
}

export interface PlacedBackend {
  readonly backend: GrpcBackend;
  readonly locality?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A host whose endpoints are these backends. */
export function entry(host: string, backends: readonly PlacedBackend[], protocol = 'GRPC'): Manifest {
  return serviceEntryManifest(host.replaceAll('.', '-'), {
    hosts: [host],
    location: 'MESH_INTERNAL',
    resolution: 'STATIC',
    ports: [{ number: PORT, name: 'grpc', protocol }],
    endpoints: backends.map(({ backend, locality, labels }) => ({
      address: '127.0.0.1',
      ports: { grpc: backend.port },
      ...(locality === undefined ? {} : { locality }),
      ...(labels === undefined ? {} : { labels }),
    })),
  });
}

function networking(kind: string, host: string, spec: object): Manifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind,
    metadata: { name: host.replaceAll('.', '-'), namespace: 'default' },
    spec,
  };
}

export function destinationRule(host: string, trafficPolicy: object, more: object = {}): Manifest {
  return networking('DestinationRule', host, { host, trafficPolicy, ...more });
}

/** @param http the routes of a VirtualService */
export function virtualService(host: string, http: readonly object[]): Manifest {
  return networking('VirtualService', host, { hosts: [host], http });
}

/** A Kubernetes Service in namespace `default`. */
export function kubernetesService(name: string, backend: GrpcBackend): readonly Manifest[] {
  const service = {
    name,
    clusterIP: '10.96.0.10',
    ports: [{ name: 'grpc', port: PORT, targetPort: backend.port }],
  };
  return [serviceManifest(service), endpointsManifest(service, ['127.0.0.1'])];
}

export const ROUND_ROBIN = { loadBalancer: { simple: 'ROUND_ROBIN' } };

/** The text of a mesh file: JSON is YAML too. */
export function fileText(manifests: readonly Manifest[]): string {
  return manifests.map((each) => `${JSON.stringify(each)}\n`).join('---\n');
}
