import { statSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { loadKubeconfig, loadPodEnvironment, type PodEnvironment } from './kubeconfig.js';

/** Address of a cluster's API server and the credentials for it. */
export interface ClusterAccess {
  /** Base of all URLs; it can have a path. */
  readonly server: string;
  /**
   * TLS material, credentials and agent for one request. Reads rotated tokens, certificates and kubeconfigs again.
   * Rejects while they cannot be read.
   */
  requestOptions(): Promise<RequestOptions>;
  close(): void;
}

export interface ClusterAccessOptions extends PodEnvironment {
  /** `--orchconfig`: path of a kubeconfig; empty when this process runs in the cluster. */
  readonly orchConfig: string;
  /** Context of the kubeconfig. Default: its current context. */
  readonly context?: string;
}

/** An exec plugin of a kubeconfig that has not answered after this time has failed. */
const CREDENTIALS_TIMEOUT_MS = 60_000;

/**
 * Finds the API server: of the kubeconfig's current context, or of the cluster in which this process runs.
 *
 * @throws ClusterAccessError when there is no cluster, or its kubeconfig cannot be used
 */
export async function loadClusterAccess(options: ClusterAccessOptions): Promise<ClusterAccess> {
  const { orchConfig } = options;
  // Loaded here, because only servers that read a cluster need it.
  const library = await import('./kubeconfig-library.js');
  const load = (): KubeConfig => {
    const config = new library.KubeConfig();
    if (orchConfig === '') loadPodEnvironment(config, options);
    else loadKubeconfig(config, orchConfig, options);
    return config;
  };
  let config = load();
  let identity = identityOf(orchConfig);
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  /** A kubeconfig that contains certificates is renewed by a new file; a bad new file is ignored. */
  const refresh = (): void => {
    const found = identityOf(orchConfig);
    if (found === identity) return;
    config = load();
    identity = found;
  };

  const server = config.getCurrentCluster()?.server.replace(/\/+$/, '') ?? '';
  const apply = async (): Promise<RequestOptions> => {
    refresh();
    const applied: RequestOptions = { headers: {} };
    await withTimeout(config.applyToHTTPSOptions(applied));
    if (config.getCurrentCluster()?.proxyUrl !== undefined) return applied;
    // The library would create an agent, and so a TLS handshake, for every request.
    return { ...applied, agent: server.startsWith('http:') ? agents.http : agents.https };
  };
  let applying: Promise<RequestOptions> | undefined;
  return {
    server,
    // Concurrent requests, as at the start, run a credential program once.
    requestOptions: () => {
      applying ??= apply().finally(() => {
        applying = undefined;
      });
      return applying;
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Changes when the file does. */
function identityOf(file: string): string {
  if (file === '') return '';
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`the kubeconfig's credential program gave nothing for ${CREDENTIALS_TIMEOUT_MS} ms`);
    timer = setTimeout(() => reject(error), CREDENTIALS_TIMEOUT_MS).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
