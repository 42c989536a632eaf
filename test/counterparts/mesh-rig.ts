import type { Manifest } from './config-folder.js';
import { createDiscovery, type Discovery, type DiscoveryOptions } from './discovery.js';
import type { Envoy } from './envoy.js';
import {
  type AdsAddress,
  type AdsCredentials,
  buildAdsBootstrap,
  buildNode,
  type EnvoyJson,
  type XdsVariant,
} from './envoy-bootstrap.js';
import { assertNothingRejected } from './envoy-rejections.js';
import type { SidecarCounterparts } from './requirement.js';
import { createRig, type Rig, type Workload } from './sidecar-rig.js';

/** A workload with its sidecar. */
export interface Sidecar extends Workload {
  readonly envoy: Envoy;
}

export interface SidecarOptions {
  readonly name: string;
  readonly address: string;
  /** Default `sidecar`. */
  readonly type?: 'sidecar' | 'router';
  /** Default `default`. */
  readonly namespace?: string;
  /** Default `default`. */
  readonly serviceAccount?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `region/zone/subzone`; default: unknown. */
  readonly locality?: string;
  /** Further node metadata. */
  readonly metadata?: EnvoyJson;
  /** Default: state of the world. */
  readonly variant?: XdsVariant;
  /** The secured listener and the credentials for it; default: the plaintext listener. */
  readonly secured?: { readonly ads: AdsAddress; readonly credentials: AdsCredentials };
  /** Further instances of the control plane, to which it may connect as well; default: none. */
  readonly otherServers?: readonly AdsAddress[];
}

/** A discovery server, and sidecars that are served by it. */
export interface MeshRig {
  readonly rig: Rig;
  readonly discovery: Discovery;
  /** Starts a workload with its sidecar; ready() of its Envoy is the caller's to await. */
  addSidecar(options: SidecarOptions): Promise<Sidecar>;
  /** No sidecar has refused anything so far. */
  assertNothingRejected(): Promise<void>;
  close(): Promise<void>;
}

export interface MeshRigOptions extends DiscoveryOptions {
  /** Files of the mesh at the start, by name: objects, or text. */
  readonly files: Readonly<Record<string, readonly Manifest[] | string>>;
  /** Text of the mesh config file; default: all defaults. */
  readonly meshConfig?: string;
  /** Text of the policy server's configuration; default: no file. */
  readonly policyConfig?: string;
}

/** Starts the server on the mesh; sidecars resolve names with a DNS server at the router. */
export async function createMeshRig(
  { mode, envoy: binary }: SidecarCounterparts,
  { files, meshConfig, policyConfig, ...options }: MeshRigOptions,
): Promise<MeshRig> {
  const rig = await createRig(mode);
  try {
    const discovery = await createDiscovery(rig, options);
    const { configFolder } = discovery;
    for (const [file, content] of Object.entries(files)) {
      if (typeof content === 'string') await configFolder.writeText(file, content);
      else await configFolder.write(file, content);
    }
    if (meshConfig !== undefined) await discovery.writeMeshConfig(meshConfig);
    if (policyConfig !== undefined) await discovery.writePolicyConfig(policyConfig);
    await discovery.start();
    const sidecars: Sidecar[] = [];
    return {
      rig,
      discovery,
      async addSidecar({ name, address, namespace = 'default', secured, variant, otherServers, ...node }) {
        const workload = await rig.addWorkload({ name, address, captured: node.type !== 'router' });
        const { ads, credentials } = secured ?? { ads: discovery.adsAddress, credentials: undefined };
        const dns = rig.network.router.address;
        const self = buildNode({ name, namespace, address, ...node });
        const bootstrap = buildAdsBootstrap(self, ads, dns, credentials, variant, otherServers);
        const sidecar = { ...workload, envoy: rig.addEnvoy(workload, binary, bootstrap) };
        sidecars.push(sidecar);
        return sidecar;
      },
      async assertNothingRejected() {
        for (const { envoy } of sidecars) if (envoy.process.isRunning()) await assertNothingRejected(envoy);
      },
      close: () => rig.close(),
    };
  } catch (error) {
    await rig.close();
    throw error;
  }
}
