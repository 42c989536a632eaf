import { join } from 'node:path';
import type { TlsAnswer, TlsExchange } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import type { SidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority, type TestCertificate } from '../support/certificate-issuer.js';
import { writeWhole } from '../support/write-whole.js';
import { createCredentialFolder } from './credential-folder.js';
import {
  createSecuredMesh,
  type PodOptions,
  podManifest,
  type SecuredMesh,
  type SecuredMeshOptions,
  type SecuredSidecar,
  serviceOn,
} from './secured-mesh.js';

export const INGRESS: PodOptions = {
  name: 'ingress-1',
  namespace: 'edge',
  address: '10.244.0.4',
  serviceAccount: 'ingress',
  isSecured: true,
  type: 'router',
};
/** A router with the same labels in a namespace without the certificates. */
export const STRANGER: PodOptions = { ...INGRESS, name: 'ingress-1', namespace: 'stranger', address: '10.244.0.9' };
export const WEB: PodOptions = {
  ...INGRESS,
  name: 'web-1',
  namespace: 'shop',
  address: '10.244.0.6',
  serviceAccount: 'web',
  type: 'sidecar',
};
export const SERVICE: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.10',
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'tls', port: 443, targetPort: 8443 },
    { name: 'tcp', port: 9000 },
  ],
};
/** The service of the router. Envoy runs without the right to ports below 1024. */
export const EDGE: ServiceOptions = {
  name: INGRESS.name,
  namespace: INGRESS.namespace,
  clusterIP: '10.96.0.90',
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'https', port: 443, targetPort: 8443 },
  ],
};
export const WEB_HOST = 'web.shop.svc.cluster.local';

/** Paths beside the router. */
export interface CertificateFiles {
  readonly serverCertificate: string;
  readonly privateKey: string;
  readonly caCertificates: string;
}

export interface GatewayMesh {
  readonly secured: SecuredMesh;
  readonly ingress: SecuredSidecar;
  readonly stranger: SecuredSidecar;
  readonly web: SecuredSidecar;
  /** Of the certificates of gateways. */
  readonly authority: ReturnType<typeof createTestAuthority>;
  /** Writes a credential into NAV_CREDENTIALS_DIR. */
  writeCredential(name: string, certificate: TestCertificate, roots?: string): Promise<void>;
  close(): Promise<void>;
}

/** @param roots of clients, in `caCertificates` */
export async function createGatewayMesh(
  counterparts: SidecarCounterparts,
  roots: string,
  filesWith: (certificates: CertificateFiles) => Readonly<Record<string, readonly Manifest[]>>,
  settings: Pick<SecuredMeshOptions, 'meshConfig' | 'policyConfig'> = {},
): Promise<GatewayMesh> {
  const folder = await createCredentialFolder();
  const certificates: CertificateFiles = {
    serverCertificate: join(folder.path, 'server.crt'),
    privateKey: join(folder.path, 'server.key'),
    caCertificates: join(folder.path, 'roots.crt'),
  };
  const files = filesWith(certificates);
  const authority = createTestAuthority('public');
  const { certificate: chain, key: privateKey } = authority.issue({ dnsNames: ['files.example.com'] });
  await writeWhole(certificates.serverCertificate, chain);
  await writeWhole(certificates.privateKey, privateKey);
  await writeWhole(certificates.caCertificates, roots);
  const writeCredential: GatewayMesh['writeCredential'] = (...credential) =>
    folder.write(INGRESS.namespace, ...credential);
  const secured = await createSecuredMesh(counterparts, {
    ...settings,
    files: { 'pods.yaml': [INGRESS, STRANGER, WEB].map(podManifest), 'web.yaml': serviceOn(SERVICE, WEB), ...files },
    env: { NAV_CREDENTIALS_DIR: folder.path, NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE: 'true' },
  });
  const close = async (): Promise<void> => {
    await secured.mesh.close();
    await folder.remove();
  };
  try {
    const [ingress, stranger, web] = await Promise.all([
      secured.addPod(INGRESS),
      secured.addPod(STRANGER),
      secured.addPod(WEB),
    ]);
    await web.agent.call('serveHttp', { name: 'web', port: 8080 });
    await web.agent.call('serveTcp', { name: 'web', port: 9000 });
    await Promise.all([ingress, stranger, web].map(({ envoy }) => envoy.ready()));
    return { secured, ingress, stranger, web, authority, writeCredential, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export function gatewayManifest(name: string, servers: readonly object[], namespace = 'edge'): Manifest {
  const apiVersion = 'networking.mesh.internal/v1beta1';
  return {
    apiVersion,
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: { selector: { app: 'ingress-1' }, servers },
  };
}

export function virtualServiceManifest(name: string, spec: object, namespace = 'shop'): Manifest {
  const apiVersion = 'networking.mesh.internal/v1beta1';
  return { apiVersion, kind: 'VirtualService', metadata: { name, namespace }, spec };
}

/** Sends all requests of the hosts to the web service. */
export function routeToWeb(name: string, hosts: readonly string[], gateway: string, namespace = 'shop'): Manifest {
  const route = [{ destination: { host: WEB_HOST, port: { number: 80 } } }];
  return virtualServiceManifest(name, { hosts, gateways: [gateway], http: [{ route }] }, namespace);
}

/** A request over TLS from outside of the mesh. */
export function requestOverTls(
  { secured }: Pick<GatewayMesh, 'secured'>,
  port: number,
  serverName: string,
  options: Partial<TlsExchange> & { readonly host?: string; readonly path?: string; readonly headers?: string } = {},
): Promise<TlsAnswer> {
  const { host = serverName, path = '/', headers = '', ...exchange } = options;
  return secured.mesh.rig.routerAgent.call('exchangeTls', {
    address: INGRESS.address,
    port,
    serverName,
    applicationProtocols: ['http/1.1'],
    send: `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${headers}connection: close\r\n\r\n`,
    until: '\r\n\r\n',
    ...exchange,
  });
}

/** The status of the response; undefined where the connection was closed. */
export async function statusOverTls(...request: Parameters<typeof requestOverTls>): Promise<number | undefined> {
  try {
    const { received } = await requestOverTls(...request);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);
  } catch {
    return undefined;
  }
}
