import { eventually } from '../support/eventually.js';
import type { Manifest } from './config-folder.js';
import type { Discovery } from './discovery.js';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from './manifests.js';
import { sumOfSeries } from './metrics-text.js';
import { programFile } from './program-file.js';
import type { Rig } from './sidecar-rig.js';

/** `navigator-policy serve` as its own process in the router's namespace. */
export interface PolicyProcess {
  /** Starts it (again) and waits until /ready answers 200: it knows the policies. */
  start(): Promise<void>;
  /** Ends it at once, as a crash would: SIGKILL. */
  kill(): Promise<void>;
  /** Ends it in order: SIGTERM. */
  terminate(): Promise<void>;
  /** Sum over the series of a metric family that have these labels; default: all of them. */
  metric(family: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** The last log lines. */
  tail(lines?: number): string;
}

export interface PolicyProcessOptions {
  /** An address of the router for this server alone. */
  readonly address: string;
  /** Default 15016. */
  readonly port?: number;
  /** Has the policies. */
  readonly discovery: Discovery;
  /** Default: the file of discovery. */
  readonly policyConfigFile?: string;
  /** More flags. */
  readonly flags?: readonly string[];
  /** More settings of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The service of policy servers that are processes of their own, at addresses of the router. */
const POLICY_SERVICE: ServiceOptions = {
  name: 'policy',
  namespace: 'mesh-system',
  clusterIP: '10.96.5.1',
  ports: [{ name: 'grpc-policy', port: 15016 }],
};

/** Its objects, while it has servers at these addresses. */
export function policyServiceManifests(addresses: readonly string[]): readonly Manifest[] {
  return [serviceManifest(POLICY_SERVICE), endpointsManifest(POLICY_SERVICE, addresses)];
}

/** Metadata of a proxy whose checks survive the end of one of these servers. */
export const CHECK_RETRIES = {
  // The first attempt may meet a dead server; the second one goes to another.
  'policy.mesh.internal/checkRetries': '1',
  'policy.mesh.internal/checkBaseRetryWaitTime': '20ms',
  // An attempt may take this long too.
  'policy.mesh.internal/checkMaxRetryWaitTime': '3s',
};

/** The settings with which proxies ask it. */
export const POLICY_SERVICE_SETTINGS = {
  mixerCheckServer: 'policy.mesh-system.svc.cluster.local:15016',
  mixerReportServer: 'policy.mesh-system.svc.cluster.local:15016',
};

const MONITORING_PORT = 15014;
/** As a pod has by default. */
const TERMINATION_GRACE_MS = 30_000;

/** Prepares a policy server; start() runs it. The rig's end ends it. */
export function createPolicyProcess(rig: Rig, options: PolicyProcessOptions): PolicyProcess {
  const { address, port = 15016, discovery, policyConfigFile = discovery.policyConfigFile, flags = [] } = options;
  const { adsAddress } = discovery;
  const name = `navigator-policy at ${address}`;
  const command = rig.network.router.enter([
    ...[process.execPath, programFile('navigator-policy'), 'serve'],
    ...[
      '--discoveryAddress',
      `${adsAddress.address}:${adsAddress.port}`,
      '--policyConfig',
      policyConfigFile,
      '--discoveryRootCert=',
    ],
    ...['--policyAddr', `${address}:${port}`, '--monitoringAddr', `${address}:${MONITORING_PORT}`],
    ...flags,
  ]);
  const env = { NAV_METRICS_MIN_INTERVAL: '0s', ...options.variables };
  let server: ManagedProcess | undefined;
  rig.defer(async () => server?.stop());

  const get = async (path: string): Promise<string> => {
    const { status, body } = await rig.routerAgent.request(`http://${address}:${MONITORING_PORT}${path}`);
    if (status !== 200) throw new Error(`${name}: ${path} answered ${status}: ${body}`);
    return body;
  };

  return {
    tail: (lines) => server?.tail(lines) ?? 'it was not started',
    metric: async (family, labels) => sumOfSeries(await get('/metrics'), family, labels),
    async start() {
      const started = startManagedProcess({ name, command, env });
      server = started;
      const look = async () => !started.isRunning() || (await get('/ready')) !== undefined;
      await eventually(`${name} is ready`, look).catch((cause: unknown) => {
        throw new Error(`${name} does not become ready: ${started.tail()}`, { cause });
      });
      if (!started.isRunning()) throw new Error(`${name} ended before it was ready: ${started.tail()}`);
    },
    async kill() {
      await server?.stop('SIGKILL');
    },
    async terminate() {
      await server?.stop('SIGTERM', TERMINATION_GRACE_MS);
    },
  };
}
