import { Agent, request } from 'node:https';
import { eventually } from '../../support/eventually.js';

/** An object as YAML says it. */
export interface KubernetesManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Warnings that kubectl would show. */
  readonly warnings: readonly string[];
}

/** Access of tests to a cluster, over plain HTTPS. Shares no code with the code under test. */
export interface KubernetesClient {
  /** Any request; the body goes out as JSON. Does not throw for a status. */
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<KubernetesAnswer>;
  /** Server-side apply of an object and of its status, which makes the object be as written. */
  apply(manifest: KubernetesManifest): Promise<void>;
  /** Applies all, several at a time. */
  applyAll(manifests: readonly KubernetesManifest[]): Promise<void>;
  /** A JSON merge patch. */
  patch(manifest: KubernetesManifest, changes: unknown, subresource?: string): Promise<void>;
  /** Deletes without a grace period. Returns when the object is gone, except for namespaces. */
  delete(manifest: KubernetesManifest): Promise<void>;
  get(manifest: KubernetesManifest): Promise<unknown>;
  close(): void;
}

const CONCURRENT_WRITES = 16;

/**
 * Methods whose requests have the same answer when they come a second time, as applies and merge patches do. An API server
 * that has ended leaves connections behind, which fail when they are used once more.
 */
const REPEATABLE: readonly string[] = ['GET', 'PATCH'];
/** Errors of a connection that the API server has ended. */
const ENDS: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

/** Plurals that are not the lower-case kind with an s. */
const PLURALS: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  IngressClass: 'ingressclasses',
  AuthorizationPolicy: 'authorizationpolicies',
  Endpoints: 'endpoints',
  GatewayClass: 'gatewayclasses',
  NetworkPolicy: 'networkpolicies',
  ServiceEntry: 'serviceentries',
  WorkloadEntry: 'workloadentries',
};
const CLUSTER_SCOPED = [
  'IngressClass',
  'Node',
  'Namespace',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'GatewayClass',
];

/** The URL path of an object. */
export function pathOf({ apiVersion, kind, metadata }: KubernetesManifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = CLUSTER_SCOPED.includes(kind) ? '' : `/namespaces/${metadata.namespace ?? 'default'}`;
  return `${group}${namespace}/${PLURALS[kind] ?? `${kind.toLowerCase()}s`}/${metadata.name}`;
}

/**
 * The API server answers requests for a new CRD like this at first: a page that is not a Status, then "too many
 * requests".
 */
function isNotServedYet({ status, body }: KubernetesAnswer): boolean {
  return status === 429 || (status === 404 && typeof body === 'string');
}

export function createKubernetesClient(server: string, token: string, ca: () => Buffer): KubernetesClient {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT_WRITES });

  const send: KubernetesClient['send'] = (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
      // A request that cannot be repeated has a connection of its own, which no earlier API server has ended.
      const isRepeatable = REPEATABLE.includes(method);
      const options = { method, headers, agent: isRepeatable && agent, ca: ca() };
      const outgoing = request(new URL(path, server), options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = answer.headers['content-type']?.includes('json') === true;
          const warnings = [...(answer.headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
          resolve({
            status: answer.statusCode ?? 0,
            body: isJson ? JSON.parse(text) : text,
            warnings: warnings.map(([, warning = '']) => warning.replaceAll('\\"', '"')),
          });
        });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isLeftBehind = outgoing.reusedSocket && ENDS.includes(error.code);
        if (isRepeatable && isLeftBehind) resolve(send(method, path, body, contentType));
        else reject(error);
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });

  const expectOk = async (method: string, path: string, body?: unknown, contentType?: string): Promise<unknown> => {
    const answer = await eventually('the kind is served', async () => {
      const found = await send(method, path, body, contentType);
      return isNotServedYet(found) ? undefined : found;
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const apply = async (manifest: KubernetesManifest): Promise<void> => {
    const { status, ...desired } = manifest;
    const path = pathOf(manifest);
    await expectOk('PATCH', `${path}?fieldManager=test&force=true`, desired, 'application/apply-patch+yaml');
    if (status !== undefined) await expectOk('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
  };

  return {
    send,
    apply,
    applyAll: async (manifests) => {
      const isNamespace = ({ kind }: KubernetesManifest): boolean => kind === 'Namespace';
      // Nothing can be written into a namespace that does not exist yet.
      for (const namespace of manifests.filter(isNamespace)) await apply(namespace);
      const waiting = manifests.filter((manifest) => !isNamespace(manifest));
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await apply(next);
      };
      await Promise.all(Array.from({ length: CONCURRENT_WRITES }, work));
    },
    patch: async (manifest, changes, subresource = '') => {
      const path = `${pathOf(manifest)}${subresource === '' ? '' : `/${subresource}`}`;
      await expectOk('PATCH', path, changes, 'application/merge-patch+json');
    },
    delete: async (manifest) => {
      await expectOk('DELETE', `${pathOf(manifest)}?gracePeriodSeconds=0`);
      // A namespace ends by the hand of a controller, which may not run.
      if (manifest.kind === 'Namespace') return;
      const path = pathOf(manifest);
      await eventually(`${path} is gone`, async () => (await send('GET', path)).status === 404);
    },
    get: (manifest) => expectOk('GET', pathOf(manifest)),
    close: () => agent.destroy(),
  };
}
