import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import { SECRET_KIND, secretsForbidden, secretText } from '../../kubernetes/watch/secret.js';
import type { CredentialState, CredentialStore } from '../../model/gateways/credential.js';
import type { Logger } from '../../telemetry/logger.js';
import { createCredentialTable } from './credential-table.js';
import { CREDENTIAL_KEYS, type CredentialTexts } from './parse-credential.js';

export interface SecretCredentialsOptions {
  /** Settles when the API server can be asked. */
  createWatcher(): Promise<ListWatcher>;
  /** Scope `secretfetcher`. */
  readonly logger: Logger;
}

/** The secrets of one namespace while a router of it is connected. */
interface Namespace {
  readonly listeners: Set<() => void>;
  textsOf(secret: string): CredentialTexts | undefined;
  readonly table: ReturnType<typeof createCredentialTable>;
  /** The state of all credentials until the list is read. */
  obstacle(): CredentialState | undefined;
  stop(): Promise<void>;
}

/**
 * The credentials in the Secrets of a cluster. The Secrets of a namespace are watched only while a router of the namespace
 * asks for one, so the control plane needs the right to list and watch Secrets in these namespaces alone.
 */
export function createSecretCredentials(options: SecretCredentialsOptions): CredentialStore {
  const namespaces = new Map<string, Namespace>();
  const stopping = new Set<Promise<void>>();
  let isStopped = false;

  const stop = (namespace: Namespace): void => {
    const stopped = namespace.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };

  return {
    open: (name, onChange) => {
      let namespace = namespaces.get(name);
      if (namespace === undefined) {
        namespace = watchNamespace(name, options);
        if (!isStopped) namespaces.set(name, namespace);
      }
      const opened = namespace;
      opened.listeners.add(onChange);
      return {
        read: (credentialName, part) => opened.obstacle() ?? opened.table.read(credentialName, part, opened.textsOf),
        staleReasonOf: (credentialName, part) => opened.table.staleReasonOf(credentialName, part),
        close: () => {
          opened.listeners.delete(onChange);
          if (opened.listeners.size > 0) return;
          if (namespaces.get(name) === opened) namespaces.delete(name);
          stop(opened);
        },
      };
    },
    stop: async () => {
      isStopped = true;
      for (const namespace of namespaces.values()) stop(namespace);
      namespaces.clear();
      await Promise.all(stopping);
    },
  };
}

function watchNamespace(name: string, { createWatcher, logger }: SecretCredentialsOptions): Namespace {
  const listeners = new Set<() => void>();
  let secrets = new Map<string, CredentialTexts>();
  let obstacle: CredentialState | undefined = { type: 'loading' };
  let isStopped = false;
  let watcher: ListWatcher | undefined;
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const sink: ReflectorSink = {
    isEmpty: () => secrets.size === 0,
    replace: () => {
      const next = new Map<string, CredentialTexts>();
      return {
        add: (objects) => {
          for (const object of objects) keep(next, object, secrets);
        },
        commit: () => {
          secrets = next;
          obstacle = undefined;
          tell();
        },
      };
    },
    apply: (events) => {
      for (const { type, object } of events) {
        if (type === 'DELETED') secrets.delete(object.metadata.name);
        else keep(secrets, object, secrets);
      }
      if (events.length > 0) tell();
    },
  };
  const start = async (): Promise<void> => {
    const created = await createWatcher();
    if (isStopped) {
      await created.stop();
      return;
    }
    watcher = created;
    created.watch({
      definition: SECRET_KIND,
      namespace: name,
      sink,
      onState: (state) => {
        if (state.type !== 'forbidden') return;
        const { reason, remedy } = secretsForbidden(name);
        obstacle = { type: 'unusable', reason: `${reason}; ${remedy}` };
        tell();
      },
    });
  };
  const starting = start().catch((err: unknown) => {
    logger.error({ err, namespace: name }, 'secrets of gateways cannot be watched');
  });
  return {
    listeners,
    textsOf: (secret) => secrets.get(secret),
    table: createCredentialTable((secret, reason) => {
      logger.warn({ namespace: name, secret, reason }, 'changed gateway credential is unusable, its last state stays');
    }),
    obstacle: () => obstacle,
    stop: async () => {
      isStopped = true;
      await starting;
      await watcher?.stop();
    },
  };
}

/** Keeps the texts of a certificate; unchanged texts stay the same object. */
function keep(
  into: Map<string, CredentialTexts>,
  { metadata, data }: RawObject & { readonly data?: unknown },
  known: ReadonlyMap<string, CredentialTexts>,
): void {
  const texts: Record<string, string> = {};
  for (const key of CREDENTIAL_KEYS) {
    const text = secretText(data, key);
    if (text !== undefined) texts[key] = text;
  }
  if (Object.keys(texts).length === 0) {
    into.delete(metadata.name);
    return;
  }
  const before = known.get(metadata.name);
  const isSame = before !== undefined && CREDENTIAL_KEYS.every((key) => before[key] === texts[key]);
  into.set(metadata.name, isSame ? before : texts);
}
