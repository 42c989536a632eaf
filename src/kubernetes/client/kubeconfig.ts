import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { errorText } from '../../base/error-text.js';
import { isRecord } from '../../base/record.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { ClusterAccessError } from './cluster-access-error.js';

/** The flag of the server that names a kubeconfig. */
const SERVER_FLAG = '--orchconfig';

export interface KubeconfigChoice {
  /** Default: the current context of the file. */
  readonly context?: string;
  /** The flag that names the file, for messages. Default: `--orchconfig`. */
  readonly kubeconfigFlag?: string;
}

/**
 * Loads a kubeconfig file into an empty configuration.
 *
 * @throws ClusterAccessError when it cannot be read or used.
 */
export function loadKubeconfig(
  config: KubeConfig,
  file: string,
  { context: chosen = '', kubeconfigFlag = SERVER_FLAG }: KubeconfigChoice = {},
): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `the kubeconfig ${file} cannot be read (${errorText(cause)}); correct ${kubeconfigFlag}`;
    throw new ClusterAccessError('KUBECONFIG_UNREADABLE', message, { cause });
  }
  try {
    const folder = path.dirname(path.resolve(file));
    config.loadFromString(text);
    config.makePathsAbsolute(folder);
    addTokenFiles(config, text, folder);
    if (chosen !== '') config.setCurrentContext(chosen);
  } catch (cause) {
    throw invalidKubeconfig(file, errorText(cause), cause);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const context = JSON.stringify(config.getCurrentContext() ?? '');
    throw invalidKubeconfig(file, `its ${chosen === '' ? 'current-context' : 'context'} ${context} names no cluster`);
  }
  if (!isHttpUrl(cluster.server)) {
    throw invalidKubeconfig(file, `its server ${JSON.stringify(cluster.server)} is not an http or https URL`);
  }
}

/** The settings by which a pod finds its cluster. */
export interface PodEnvironment {
  /**
   * KUBERNETES_SERVICE_HOST and _PORT are read, and ORCH_SERVICE_HOST before the former
   * (docs/configuration.md#environment-variables).
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Folder with the pod's token and the root certificate of the API server. Default: the folder that Kubernetes mounts.
   */
  readonly serviceAccountFolder?: string;
  /** The flag that names a kubeconfig, for messages. Default: `--orchconfig`. */
  readonly kubeconfigFlag?: string;
}

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Fills an empty configuration with the cluster that this process runs in.
 *
 * @throws ClusterAccessError when this process is not a pod, or has no token
 */
export function loadPodEnvironment(
  config: KubeConfig,
  { environment, serviceAccountFolder, kubeconfigFlag = SERVER_FLAG }: PodEnvironment,
): void {
  const host = environment['ORCH_SERVICE_HOST'] || environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'] || '443';
  if (host === undefined || host === '') {
    const folder = kubeconfigFlag === SERVER_FLAG ? ', or a folder of YAML with --configDir' : '';
    const message =
      'this process does not run in a Kubernetes pod (KUBERNETES_SERVICE_HOST is not set); ' +
      `name a kubeconfig with ${kubeconfigFlag}${folder}`;
    throw new ClusterAccessError('NOT_IN_CLUSTER', message);
  }
  const folder = serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const tokenFile = path.join(folder, 'token');
  const caFile = path.join(folder, 'ca.crt');
  for (const file of [tokenFile, caFile]) requireReadable(file, kubeconfigFlag);
  config.loadFromOptions({
    clusters: [{ name: 'cluster', server: `https://${bracketed(host)}:${port}`, caFile, skipTLSVerify: false }],
    users: [{ name: 'pod', authProvider: { name: 'tokenFile', config: { tokenFile } } }],
    contexts: [{ name: 'pod', cluster: 'cluster', user: 'pod' }],
    currentContext: 'pod',
  });
}

function requireReadable(file: string, kubeconfigFlag: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    const message = `${file} cannot be read; set automountServiceAccountToken in the pod, or name a kubeconfig with ${kubeconfigFlag}`;
    throw new ClusterAccessError('NOT_IN_CLUSTER', message, { cause });
  }
}

/**
 * The library ignores `tokenFile`, the field of a kubeconfig that names a file with a rotated token. Its provider for
 * tokens mounted into a pod does the same.
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

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Puts an IPv6 address into the brackets that a URL needs. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function invalidKubeconfig(file: string, reason: string, cause?: unknown): ClusterAccessError {
  return new ClusterAccessError('KUBECONFIG_INVALID', `the kubeconfig ${file} cannot be used: ${reason}`, { cause });
}
