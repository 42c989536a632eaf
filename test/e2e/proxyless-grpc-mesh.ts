import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { shortTypeName } from '../../src/envoy/type-urls.js';
import { runCommandLine } from '../cli/run-command.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { GrpcBackend } from '../counterparts/grpc/backend.js';
import type { GrpcLanguage } from '../counterparts/grpc/grpc-client.js';
import { endpointsManifest, serviceEntryManifest, serviceManifest } from '../counterparts/manifests.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

/** The port that clients dial; the backends have ports of their own. */
export const PORT = 50_051;

/** Paths of the certificate that all clients and servers have. */
interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly roots: string;
}

/** The identity in that certificate. */
const IDENTITY = 'spiffe://cluster.local/ns/default/sa/grpc';

export async function writeCertificate(folder: string): Promise<CertificateFiles> {
  const authority = createTestAuthority('grpc');
  const { certificate, key } = authority.issue({ uris: [IDENTITY] });
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  return {
    certificate: await write('certificate.pem', certificate),
    key: await write('key.pem', key),
    roots: await write('roots.pem', authority.certificate),
  };
}

/** The bootstrap of a client or server in namespace `default`, as the command `grpc-bootstrap` writes it. */
export async function bootstrapOf(language: GrpcLanguage, grpcPort: number, files: CertificateFiles): Promise<object> {
  const { code, stdout, stderr } = await runCommandLine(
    [
      'grpc-bootstrap',
      `--discoveryAddress=127.0.0.1:${grpcPort}`,
      ...[`--certificate=${files.certificate}`, `--privateKey=${files.key}`, `--roots=${files.roots}`],
      ...['--locality=north/a', `--labels={"app":"${language}"}`],
    ],
    { INSTANCE_IP: '127.0.0.1', POD_NAME: language, POD_NAMESPACE: 'default' },
  );
  if (code !== 0) throw new Error(stderr);
  const bootstrap = JSON.parse(stdout) as { node: { metadata: Record<string, unknown> } };
  // The control plane also recognises a library by its user agent.
  if (language === 'go') delete bootstrap.node.metadata['GENERATOR'];
  return bootstrap;
}

export const nodeOf = (language: GrpcLanguage): string =>
  `sidecar~127.0.0.1~${language}.default~default.svc.cluster.local`;

const registry = loadProtoRegistry();
const STATUS_REQUEST = registry.type('envoy.service.status.v3.ClientStatusRequest');
const STATUS_RESPONSE = registry.type('envoy.service.status.v3.ClientStatusResponse');
const FETCH_STATUS = '/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';

/**
 * The resources that a client has acknowledged, as a client status service (CSDS) tells: hashes of their bytes by short type
 * and name. Versions do not compare: a library shows the version of a response, the control plane that of a resource.
 *
 * @param port of the control plane, or of the client itself
 * @param nodeId of a client of the control plane. Libraries support no matchers
 */
export async function acknowledgedBy(port: number, nodeId?: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const nodeMatchers = nodeId === undefined ? [] : [{ nodeId: { exact: nodeId } }];
      const request = { nodeMatchers };
      const same = (bytes: Buffer): Buffer => bytes;
      const bytes = Buffer.from(STATUS_REQUEST.encode(STATUS_REQUEST.fromObject(request)).finish());
      client.makeUnaryRequest(FETCH_STATUS, same, same, bytes, (error, response) => {
        if (response === undefined) reject(error);
        else resolve(response);
      });
    });
    const { config = [] } = STATUS_RESPONSE.toObject(STATUS_RESPONSE.decode(answer), { enums: String }) as ClientStatus;
    const acknowledged = config
      .flatMap(({ genericXdsConfigs = [] }) => genericXdsConfigs)
      .filter(({ clientStatus }) => clientStatus === 'ACKED')
      .map(({ typeUrl, name, xdsConfig }) => {
        const bytes = xdsConfig === undefined ? '' : createHash('sha256').update(xdsConfig.value).digest('hex');
        // @grpc/grpc-js-xds leaves out the first part.
        const type = shortTypeName(`type.googleapis.com/${typeUrl.replace('type.googleapis.com/', '')}`);
        return [`${type} ${name}`, bytes] as const;
      });
    return Object.fromEntries(acknowledged);
  } finally {
    client.close();
  }
}

interface ClientStatus {
  readonly config?: readonly {
    readonly genericXdsConfigs?: readonly {
      readonly typeUrl: string;
      readonly name: string;
      /** Any. */
      readonly xdsConfig?: { readonly value: Buffer };
      readonly clientStatus: string;
    }[];
  }[];
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

/**
 * A server of a workload with the label `app: <language>`, in mutual TLS at one port and in plaintext at the other. The
 * host `impostor-<language>.example.com` expects another identity at the same server.
 */
export function securedServer(language: GrpcLanguage, securePort: number, plainPort: number) {
  const metadata = { name: language, namespace: 'default' };
  const selector = { matchLabels: { app: language } };
  const apiVersion = 'security.mesh.internal/v1beta1';
  const hosts = [
    { name: `secure-${language}`, identity: IDENTITY },
    { name: `impostor-${language}`, identity: 'spiffe://cluster.local/ns/default/sa/other' },
  ];
  return [
    ...hosts.flatMap(({ name, identity }) => [
      serviceEntryManifest(name, {
        hosts: [`${name}.example.com`],
        location: 'MESH_INTERNAL',
        resolution: 'STATIC',
        ports: [{ number: PORT, name: 'grpc', protocol: 'GRPC' }],
        endpoints: [{ address: '127.0.0.1', ports: { grpc: securePort } }],
        subjectAltNames: [identity],
      }),
      destinationRule(`${name}.example.com`, { tls: { mode: 'MESH_MUTUAL' } }),
    ]),
    {
      apiVersion,
      kind: 'PeerAuthentication',
      metadata,
      spec: { selector, mtls: { mode: 'STRICT' }, portLevelMtls: { [plainPort]: { mode: 'DISABLE' } } },
    },
    {
      apiVersion,
      kind: 'AuthorizationPolicy',
      metadata,
      spec: {
        selector,
        action: 'DENY',
        rules: [
          { to: [{ operation: { paths: ['/test.Echo/Secret'] } }], from: [{ source: { notPrincipals: [NAMED] } }] },
        ],
      },
    },
  ];
}

/** As policies name the identity. */
const NAMED = IDENTITY.replace('spiffe://', '');

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
