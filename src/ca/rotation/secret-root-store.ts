import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { SECRET_KIND, secretText } from '../../kubernetes/watch/secret.js';
import { type LoadedRoot, type RootStore, RootStoreError, type StoredRoot } from './root-store.js';

export interface SecretRootStoreOptions {
  readonly send: SendRequest;
  /** The control plane's own. */
  readonly namespace: string;
  readonly meshDomain: string;
}

const ROOT_SECRET = 'mesh-ca-secret';

/**
 * Keys of the secret (docs/reference/certificate-authority.md#ca-material); root-cert.pem holds the earlier roots, the
 * unused ones are empty.
 */
const KEYS = {
  certificate: 'ca-cert.pem',
  privateKey: 'ca-key.pem',
  earlierRoots: 'root-cert.pem',
  unused: ['cert-chain.pem', 'key.pem'],
} as const;

/** Stores the root of a cluster in the secret `mesh-ca-secret` of type `D/ca-root`. */
export function createSecretRootStore({ send, namespace, meshDomain }: SecretRootStoreOptions): RootStore {
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const path = `${collection}/${ROOT_SECRET}`;
  const name = `secret ${namespace}/${ROOT_SECRET}`;

  const fail = (verb: string, answer: ApiAnswer): RootStoreError => {
    const remedy =
      answer.status === 403 ? `; let the service account get, create and patch secrets in ${namespace}` : '';
    return new RootStoreError(`${name} cannot be ${verb}: ${refusalText(answer)}${remedy}`);
  };

  return {
    name,
    load: async () => {
      const answer = await send({ method: 'GET', path });
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw fail('read', answer);
      return parseSecret(answer.body, name);
    },
    save: async (root, replaces) => {
      const answer = await (replaces === undefined
        ? send({ method: 'POST', path: collection, body: manifestOf(root) })
        : send({ method: 'PATCH', path, body: patchOf(root, replaces), contentType: 'application/merge-patch+json' }));
      // 409: the secret exists already or has changed; 404: the secret was deleted.
      if (answer.status === 409 || (answer.status === 404 && replaces !== undefined)) return undefined;
      if (answer.status >= 300) throw fail(replaces === undefined ? 'created' : 'updated', answer);
      return parseSecret(answer.body, name);
    },
  };

  function manifestOf(root: StoredRoot): object {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: ROOT_SECRET, namespace },
      type: `${meshDomain}/ca-root`,
      data: { ...Object.fromEntries(KEYS.unused.map((key) => [key, ''])), ...dataOf(root) },
    };
  }
}

/** Keeps labels and type of the secret. The resource version makes the patch fail if another replica was faster. */
function patchOf(root: StoredRoot, { version }: LoadedRoot): object {
  return { metadata: { resourceVersion: version }, data: dataOf(root) };
}

function dataOf({ certificate, privateKey, earlierRoots }: StoredRoot): object {
  const texts = { [KEYS.certificate]: certificate, [KEYS.privateKey]: privateKey, [KEYS.earlierRoots]: earlierRoots };
  const entries = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]);
  return Object.fromEntries(entries);
}

function parseSecret(body: unknown, name: string): LoadedRoot {
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  const text = (key: string): string => secretText(isRecord(body) ? body['data'] : undefined, key) ?? '';
  const { resourceVersion } = metadata;
  for (const key of [KEYS.certificate, KEYS.privateKey]) {
    if (text(key) !== '') continue;
    const remedy = 'put a CA into it, or delete it to have one made';
    throw new RootStoreError(`${name} has nothing in its key ${key}; ${remedy}`);
  }
  return {
    root: {
      certificate: text(KEYS.certificate),
      privateKey: text(KEYS.privateKey),
      earlierRoots: text(KEYS.earlierRoots),
    },
    version: typeof resourceVersion === 'string' ? resourceVersion : '',
  };
}

/**
 * Reports each version of the root's secret, and an empty text after its deletion. The watched content is not stored:
 * the receiver reads the secret itself.
 *
 * @param namespace of the control plane
 */
export function watchRootSecret(watcher: ListWatcher, namespace: string, onVersion: (version: string) => void): void {
  let isThere = false;
  watcher.watch({
    definition: SECRET_KIND,
    namespace,
    selector: { fieldSelector: `metadata.name=${ROOT_SECRET}` },
    sink: {
      isEmpty: () => !isThere,
      replace: () => {
        let found = '';
        return {
          add: (objects) => {
            found = objects[0]?.metadata.resourceVersion ?? found;
          },
          commit: () => {
            isThere = found !== '';
            onVersion(found);
          },
        };
      },
      apply: (events) => {
        for (const { type, object } of events) {
          isThere = type !== 'DELETED';
          onVersion(isThere ? object.metadata.resourceVersion : '');
        }
      },
    },
  });
}
