import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { DiscoveryPorts } from '../../test/counterparts/discovery.js';
import { createMeshRig, type MeshRig } from '../../test/counterparts/mesh-rig.js';
import { findNamespaceMode, type NamespaceMode } from '../../test/counterparts/namespace-mode.js';
import { projectRoot } from '../../test/counterparts/project-root.js';

/** Where the demo takes place, and what can be shown there. */
export interface Stage {
  readonly mesh: MeshRig;
  /** Whether iptables sends the apps' traffic through the sidecars; if not, apps name their sidecar as HTTP proxy. */
  readonly captured: boolean;
  /** In words. */
  readonly description: readonly string[];
  /** The address of the sample mesh, as it is on this stage. */
  address(sampleAddress: string): string;
  /** The sample file's text, as it is on this stage. */
  readonly files: Readonly<Record<string, string>>;
  /** Text of POLICY_FILE, which is not applied at the start. */
  readonly policyText: string;
  /** Text of samples/tour/canary.yaml, which is not applied at the start. */
  readonly canaryText: string;
}

/** The sample file with the API and the quotas of books. */
export const POLICY_FILE = 'books-api.yaml';

/** The forward-proxy port of sidecars on a stage without capture. */
export const PROXY_HTTP_PORT = 15002;

const NAMESPACES: Record<NamespaceMode, readonly string[]> = {
  root: ['Each workload has a network namespace of its own; iptables sends its traffic through its Envoy.'],
  user: [
    'Without root: network namespaces inside a user namespace. Each workload has one of its own;',
    'iptables sends what it sends to services through its Envoy, and all that arrives.',
  ],
};

const HOST_DESCRIPTION = [
  'No network namespaces here, so nothing can be captured. Instead, on loopback addresses of this machine:',
  `the app names its Envoy as HTTP proxy (port ${PROXY_HTTP_PORT}), and only the calling side has an Envoy.`,
];

/** Checks and reports at the policy server of the control plane, which proxies find beside its xDS. */
function policySettings(discoveryHost: string): string {
  return [
    `defaultConfig: { discoveryAddress: "${discoveryHost}:15010" }`,
    'mixerCheckServer: embedded',
    'mixerReportServer: embedded',
    'disablePolicyChecks: false',
    'disableMixerHttpReports: false',
    'policyCheckFailOpen: false',
    '',
  ].join('\n');
}

async function readSampleMesh(): Promise<Record<string, string>> {
  const folder = join(projectRoot(), 'samples/mesh');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const entries = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(entries);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function findFreePorts(): Promise<DiscoveryPorts> {
  return {
    grpc: await findFreePort(),
    http: await findFreePort(),
    monitoring: await findFreePort(),
    policy: await findFreePort(),
    secureGrpc: await findFreePort(),
  };
}

/**
 * Sets up a copy of the sample mesh with the control plane running on it.
 * @param folder for the copy; the caller's to remove.
 */
export async function setUpStage(envoy: string, folder: string): Promise<Stage> {
  const { [POLICY_FILE]: policyText = '', ...meshFiles } = await readSampleMesh();
  const policyConfig = await readFile(join(projectRoot(), 'samples/policy.yaml'), 'utf8');
  const canaryText = await readFile(join(projectRoot(), 'samples/tour/canary.yaml'), 'utf8');
  const found = findNamespaceMode();
  if ('value' in found) {
    const mesh = await createMeshRig(
      { mode: found.value, envoy },
      { files: meshFiles, meshConfig: policySettings('10.244.0.1'), policyConfig, folder },
    );
    const description = NAMESPACES[found.value];
    return {
      mesh,
      captured: true,
      description,
      address: (address) => address,
      files: meshFiles,
      policyText,
      canaryText,
    };
  }
  const address = (sample: string): string => sample.replace(/^10\.244\./, '127.244.');
  const files = Object.fromEntries(
    Object.entries(meshFiles).map(([name, text]) => [name, text.replaceAll('10.244.', '127.244.')]),
  );
  const meshConfig = [
    `proxyHttpPort: ${PROXY_HTTP_PORT}`,
    // The service's own side has no Envoy here, so that the caller's has to ask.
    'enableClientSidePolicyCheck: true',
    policySettings('127.0.0.1'),
  ].join('\n');
  const mesh = await createMeshRig(
    { mode: 'none', envoy },
    { files, meshConfig, policyConfig, folder, ports: await findFreePorts() },
  );
  return {
    mesh,
    captured: false,
    description: [`(${found.missing})`, ...HOST_DESCRIPTION],
    address,
    files,
    canaryText,
    policyText,
  };
}
