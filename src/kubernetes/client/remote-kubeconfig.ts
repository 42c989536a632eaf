import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isRecord } from '../../base/record.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { ClusterAccessError } from './cluster-access-error.js';
import { type RemoteCredentials, readRemoteCredentials } from './remote-credentials.js';

/** The address of a cluster, with root certificates and credentials. */
export interface RemoteKubeconfig {
  /** https URL of the API server, without a slash at its end. */
  readonly server: string;
  /** PEM of the root certificates of the API server; undefined for public authorities. */
  readonly ca: Buffer | undefined;
  /** Name in the API server's certificate, when it differs from the host of the URL. */
  readonly serverName: string | undefined;
  readonly credentials: RemoteCredentials;
}

/**
 * Reads the current context of a kubeconfig that came over the network, in a secret. Unlike a kubeconfig file named on
 * the command line, it cannot make this process run a program, read a file, or skip the verification of the server.
 *
 * @throws ClusterAccessError KUBECONFIG_INVALID, which names fields and no values, because values are secret
 */
export function parseRemoteKubeconfig(text: string): RemoteKubeconfig {
  const parsed = createYamlParser()(text);
  // The parser's message can quote the text.
  if (parsed.type === 'error')
    throw invalid(`it is not YAML${parsed.line === undefined ? '' : `, line ${parsed.line}`}`);
  if (!isRecord(parsed.value)) throw invalid('it is not a mapping');
  const document = parsed.value;
  const context = entryOf(document, 'contexts', 'context', document['current-context'], 'current-context');
  const cluster = entryOf(document, 'clusters', 'cluster', context['cluster'], "the context's cluster");
  const user = entryOf(document, 'users', 'user', context['user'], "the context's user");
  const read = {
    server: serverOf(cluster),
    ca: authorityOf(cluster),
    serverName: serverNameOf(cluster),
    credentials: readRemoteCredentials(user),
  };
  checkMaterial(read);
  return read;
}

/** The entry of a list with the given name, such as `users: [{name, user}]`. */
function entryOf(
  document: Readonly<Record<string, unknown>>,
  list: string,
  field: string,
  name: unknown,
  namedBy: string,
): Readonly<Record<string, unknown>> {
  if (typeof name !== 'string' || name === '') throw invalid(`${namedBy} is missing`);
  const entries: readonly unknown[] = Array.isArray(document[list]) ? document[list] : [];
  const found = entries.find((entry) => isRecord(entry) && entry['name'] === name);
  const value = isRecord(found) ? found[field] : undefined;
  if (!isRecord(value)) throw invalid(`${namedBy} names no entry of ${list}`);
  return value;
}

const REFUSED_CLUSTER_FIELDS: ReadonlyMap<string, string> = new Map([
  ['certificate-authority', 'it names a file of this machine; give certificate-authority-data'],
  ['insecure-skip-tls-verify', 'anyone could answer for that cluster; give certificate-authority-data'],
  ['proxy-url', 'a remote cluster is reached directly; remove it'],
]);

function serverOf(cluster: Readonly<Record<string, unknown>>): string {
  for (const [field, why] of REFUSED_CLUSTER_FIELDS) {
    const value = cluster[field];
    if (value !== undefined && value !== null && value !== false && value !== '')
      throw invalid(`cluster.${field}: ${why}`);
  }
  const server = cluster['server'];
  const url = typeof server === 'string' && URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== 'https:') throw invalid('cluster.server is not an https URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('cluster.server has more than host, port and path; credentials belong to the user');
  }
  return url.href.replace(/\/+$/, '');
}

function authorityOf(cluster: Readonly<Record<string, unknown>>): Buffer | undefined {
  const data = cluster['certificate-authority-data'];
  if (data === undefined || data === null || data === '') return undefined;
  if (typeof data !== 'string') throw invalid('cluster.certificate-authority-data is not base64 text');
  return Buffer.from(data, 'base64');
}

function serverNameOf(cluster: Readonly<Record<string, unknown>>): string | undefined {
  const name = cluster['tls-server-name'];
  if (name === undefined || name === null || name === '') return undefined;
  if (typeof name !== 'string') throw invalid('cluster.tls-server-name is not text');
  return name;
}

/** Checked at once: otherwise every request would fail with it. */
function checkMaterial({ ca, credentials }: RemoteKubeconfig): void {
  try {
    if (ca !== undefined) new X509Certificate(ca);
  } catch (cause) {
    throw invalid('cluster.certificate-authority-data is not a certificate in PEM', cause);
  }
  if (credentials.type !== 'certificate') return;
  try {
    createSecureContext({ cert: credentials.certificate, key: credentials.key });
  } catch (cause) {
    throw invalid('user.client-certificate-data and client-key-data are not a certificate and its key in PEM', cause);
  }
}

function invalid(reason: string, cause?: unknown): ClusterAccessError {
  return new ClusterAccessError('KUBECONFIG_INVALID', reason, { cause });
}
