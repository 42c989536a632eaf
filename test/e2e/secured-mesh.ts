import { X509Certificate } from 'node:crypto';
import type { MaterialTexts } from '../../src/ca/authority/signing-material.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { XdsVariant } from '../counterparts/envoy-bootstrap.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type MeshRigOptions, type Sidecar } from '../counterparts/mesh-rig.js';
import type { SidecarCounterparts } from '../counterparts/requirement.js';
import { createPluggedInAuthority, createRoot, issueFor, type PluggedInAuthority } from './plugged-in-authority.js';

const MESH_LABEL = 'security.mesh.internal/tlsMode';
/** The name in the control plane's certificate, of its default address. */
const SERVER_NAME = 'meshd.mesh-system.svc';

export interface PodOptions {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly serviceAccount: string;
  /** Whether it has a sidecar with a certificate: labelled so, and connected to the secured listener. */
  readonly isSecured: boolean;
  /** Of its sidecar; default: `app` is its name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default `sidecar`. */
  readonly type?: 'sidecar' | 'router';
  /** Of its sidecar; default: none, and it reaches all networks directly. */
  readonly network?: string;
  /** Of its sidecar, `region/zone/subzone`; default: unknown. */
  readonly locality?: string;
  /** How its sidecar speaks xDS; default: state of the world. */
  readonly variant?: XdsVariant;
}

export function spiffeId({ namespace, serviceAccount }: Pick<PodOptions, 'namespace' | 'serviceAccount'>): string {
  return `spiffe://cluster.local/ns/${namespace}/sa/${serviceAccount}`;
}

/** As an injector would label it. */
export function podManifest({ name, namespace, address, serviceAccount, isSecured }: PodOptions): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name, ...(isSecured ? { [MESH_LABEL]: 'mesh' } : {}) } },
    spec: { serviceAccountName: serviceAccount, containers: [{ name: 'app' }] },
    status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }] },
  };
}

/** A service on one pod. */
export function serviceOn(service: ServiceOptions, { address }: PodOptions): readonly Manifest[] {
  return [serviceManifest(service), endpointsManifest(service, [address])];
}

export function peerAuthenticationManifest(namespace: string, spec: object): Manifest {
  return {
    apiVersion: 'security.mesh.internal/v1beta1',
    kind: 'PeerAuthentication',
    metadata: { name: 'default', namespace },
    spec,
  };
}

export interface SecuredSidecar extends Sidecar {
  /** Of the certificate that it shows the control plane. */
  readonly bootstrapSerial: string;
}

/** A mesh whose authority the test knows, with sidecars that are served over mutual TLS, and others. */
export interface SecuredMesh {
  readonly mesh: MeshRig;
  readonly authority: PluggedInAuthority;
  readonly root: MaterialTexts;
  addPod(pod: PodOptions): Promise<SecuredSidecar>;
}

export interface SecuredMeshOptions extends Pick<MeshRigOptions, 'meshConfig' | 'policyConfig' | 'flags'> {
  readonly files: MeshRigOptions['files'];
  readonly env?: Readonly<Record<string, string>>;
  /** Roots that sidecars take the control plane for itself by, beside its first. */
  readonly otherRoots?: string;
}

export async function createSecuredMesh(
  counterparts: SidecarCounterparts,
  { env = {}, otherRoots = '', ...options }: SecuredMeshOptions,
): Promise<SecuredMesh> {
  const root = await createRoot();
  const authority = await createPluggedInAuthority(root);
  try {
    const mesh = await createMeshRig(counterparts, { ...options, env: { ROOT_CA_DIR: authority.folder, ...env } });
    mesh.rig.defer(() => authority.remove());
    return {
      mesh,
      authority,
      root,
      addPod: async (pod) => {
        const { name, namespace, address, serviceAccount, isSecured, network, locality, variant } = pod;
        const identity = await issueFor(root, spiffeId(pod));
        const credentials = { ...identity, roots: root.roots + otherRoots, serverName: SERVER_NAME };
        const ads = { address: mesh.discovery.adsAddress.address, port: 15012 };
        const sidecar = await mesh.addSidecar({
          name,
          type: pod.type ?? 'sidecar',
          namespace,
          address,
          serviceAccount,
          labels: pod.labels ?? { app: name },
          ...(locality === undefined ? {} : { locality }),
          ...(variant === undefined ? {} : { variant }),
          ...(network === undefined ? {} : { metadata: { NETWORK: network } }),
          ...(isSecured ? { secured: { ads, credentials } } : {}),
        });
        return { ...sidecar, bootstrapSerial: serialOf(identity.certificate) };
      },
    };
  } catch (error) {
    await authority.remove();
    throw error;
  }
}

/** Certificates that a sidecar got by SDS, by serial number. */
export interface CertificatesInUse {
  readonly workload: ReadonlySet<string>;
  readonly roots: ReadonlySet<string>;
}

interface CertificateDetails {
  readonly serial_number: string;
}

/** One TLS context of an Envoy. */
interface CertificateUse {
  readonly ca_cert?: readonly CertificateDetails[];
  readonly cert_chain?: readonly CertificateDetails[];
}

/** Leaves out the certificates of its bootstrap, which are for the control plane. */
export async function certificatesOf({ envoy, bootstrapSerial }: SecuredSidecar): Promise<CertificatesInUse> {
  const { certificates } = JSON.parse(await envoy.admin('/certs')) as { readonly certificates: CertificateUse[] };
  const serials = (details: readonly CertificateDetails[] = []) => details.map((each) => bare(each.serial_number));
  const bySds = certificates.filter(({ cert_chain }) => !serials(cert_chain).includes(bootstrapSerial));
  return {
    workload: new Set(bySds.flatMap(({ cert_chain }) => serials(cert_chain))),
    roots: new Set(bySds.flatMap(({ ca_cert }) => serials(ca_cert))),
  };
}

/** Of the first certificate of a PEM text. */
export function serialOf(pem: string): string {
  return bare(new X509Certificate(pem).serialNumber);
}

function bare(serial: string): string {
  return serial.toLowerCase().replace(/^0+/, '');
}
