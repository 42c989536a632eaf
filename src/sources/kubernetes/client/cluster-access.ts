import { readFileSync, statSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { isRecord } from '../../../config/schema/body-copier.js';
import { createYamlParser } from '../../../config/yaml/parse-document.js';
import { SourceError } from '../../source-error.js';

/** Where a cluster's API server is, and how to be let in. */
export interface ClusterAccess {
  /** Base of all URLs; may have a path. */
  readonly server: string;
  /** TLS material, credentials and agent for one request; reads rotated tokens, certificates and kubeconfigs anew. */
  requestOptions(): Promise<RequestOptions>;
  close(): void;
}

export interface ClusterAccessOptions {
  /** `--orchconfig`: path of a kubeconfig; empty means that this process runs in the cluster. */
  readonly orchConfig: string;
  /** KUBERNETES_SERVICE_HOST and _PORT are read, and ORCH_SERVICE_HOST before the former (SPEC 4.6). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a cluster mounts a pod's token and the certificate of its API server. */
  readonly serviceAccountFolder?: string;
}

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An exec plugin of a kubeconfig that has not answered by then counts as failed. */
const CREDENTIALS_TIMEOUT_MS = 60_000;

/**
 * Finds the API server: that of the kubeconfig's current context, or the one this process runs under.
 *
 * @throws SourceError when there is none, or its kubeconfig cannot be used.
 */
export async function loadClusterAccess(options: ClusterAccessOptions): Promise<ClusterAccess> {
  const { orchConfig } = options;
  // The library takes a second and 70 MiB to load, which only those pay who read a cluster.
  const library = await import('@kubernetes/client-node');
  const load = (): KubeConfig => {
    const config = new library.KubeConfig();
    if (orchConfig === '') loadInCluster(config, options);
    else loadKubeconfig(config, orchConfig);
    return config;
  };
  let config = load();
  let identity = identityOf(orchConfig);
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  /** A kubeconfig with certificates in it is renewed by writing it anew; a bad one is not taken. */
  const refresh = (): void => {
    const found = identityOf(orchConfig);
    if (found === identity) return;
    config = load();
    identity = found;
  };

  const server = serverOf(config, orchConfig);
  return {
    server,
    requestOptions: async () => {
      refresh();
      const applied: RequestOptions = { headers: {} };
      await withTimeout(config.applyToHTTPSOptions(applied));
      if (config.getCurrentCluster()?.proxyUrl !== undefined) return applied;
      // The library makes an agent, so a TLS handshake, for every request.
      return { ...applied, agent: server.startsWith('http:') ? agents.http : agents.https };
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function loadInCluster(config: KubeConfig, { environment, serviceAccountFolder }: ClusterAccessOptions): void {
  const host = environment['ORCH_SERVICE_HOST'] || environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'] || '443';
  if (host === undefined || host === '') {
    const message =
      'this process does not run in a Kubernetes pod (KUBERNETES_SERVICE_HOST is not set); ' +
      'name a kubeconfig with --orchconfig, or a folder of YAML with --configDir';
    throw new SourceError('NOT_IN_CLUSTER', message);
  }
  const folder = serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const tokenFile = path.join(folder, 'token');
  const caFile = path.join(folder, 'ca.crt');
  for (const file of [tokenFile, caFile]) {
    try {
      readFileSync(file);
    } catch (cause) {
      const message = `${file} cannot be read; set automountServiceAccountToken in the pod, or name a kubeconfig with --orchconfig`;
      throw new SourceError('NOT_IN_CLUSTER', message, { cause });
    }
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  config.loadFromOptions({
    clusters: [{ name: 'cluster', server, caFile, skipTLSVerify: false }],
    users: [{ name: 'pod', authProvider: { name: 'tokenFile', config: { tokenFile } } }],
    contexts: [{ name: 'pod', cluster: 'cluster', user: 'pod' }],
    currentContext: 'pod',
  });
}

function loadKubeconfig(config: KubeConfig, file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `the kubeconfig ${file} cannot be read (${textOf(cause)}); correct --orchconfig`;
    throw new SourceError('KUBECONFIG_UNREADABLE', message, { cause });
  }
  try {
    config.loadFromString(text);
    const folder = path.dirname(path.resolve(file));
    config.makePathsAbsolute(folder);
    addTokenFiles(config, text, folder);
  } catch (cause) {
    throw invalidKubeconfig(file, textOf(cause), cause);
  }
  if (config.getCurrentCluster() === null) {
    const context = JSON.stringify(config.getCurrentContext() ?? '');
    throw invalidKubeconfig(file, `its current-context ${context} names no cluster`);
  }
}

/**
 * The library does not know `tokenFile`, the field of a kubeconfig that names a file with a token that is renewed;
 * its own way for tokens mounted into a pod does the same.
 */
function addTokenFiles(config: KubeConfig, text: string, folder: string): void {
  const parsed = createYamlParser()(text);
  const document = parsed.type === 'value' && isRecord(parsed.value) ? parsed.value : {};
  const users: readonly unknown[] = Array.isArray(document['users']) ? document['users'] : [];
  const tokenFiles = new Map<unknown, string>();
  for (const each of users) {
    const user = isRecord(each) && isRecord(each['user']) ? each['user'] : {};
    if (isRecord(each) && typeof user['tokenFile'] === 'string') tokenFiles.set(each['name'], user['tokenFile']);
  }
  config.users = config.users.map(({ token, ...user }) => {
    const file = tokenFiles.get(user.name);
    if (file === undefined) return token === undefined ? user : { ...user, token };
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: path.resolve(folder, file) } } };
  });
}

function serverOf(config: KubeConfig, file: string): string {
  const server = config.getCurrentCluster()?.server ?? '';
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw invalidKubeconfig(file, `its server ${JSON.stringify(server)} is not an http or https URL`);
  }
  return server.replace(/\/+$/, '');
}

function invalidKubeconfig(file: string, reason: string, cause?: unknown): SourceError {
  return new SourceError('KUBECONFIG_INVALID', `the kubeconfig ${file} cannot be used: ${reason}`, { cause });
}

function identityOf(file: string): string {
  if (file === '') return '';
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`the kubeconfig's credential program gave nothing for ${CREDENTIALS_TIMEOUT_MS} ms`);
    timer = setTimeout(() => reject(error), CREDENTIALS_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
