import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import { settledWithin } from '../../base/settled-within.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import { SECRET_KIND, secretsForbidden, secretText } from '../../kubernetes/watch/secret.js';
import type { ApiKeySecret } from '../../model/policy/plans/api-key-secrets.js';
import type { NeededSecrets } from '../../model/policy/plans/consumer-secrets.js';
import type { Logger } from '../../telemetry/logger.js';
import { type ApiKeySource, createApiKeyTable, type OnApiKeys } from './api-key-source.js';
import { readApiKeys, unusable } from './read-api-keys.js';

export interface SecretApiKeysOptions {
  /** Settles when the API server can be asked. */
  createWatcher(): Promise<ListWatcher>;
  readonly onKeys: OnApiKeys;
  readonly clock: Clock;
  /** Scope `secretfetcher`. */
  readonly logger: Logger;
}

/** The Secrets of one namespace. */
interface Namespace {
  /** Names of the Secrets to read. */
  need(names: ReadonlySet<string>): void;
  stop(): Promise<void>;
}

const MISSING = unusable('it does not exist', 'create it in the namespace of the Consumer');

/**
 * The API keys in the Secrets of a cluster. The Secrets of a namespace are watched while a Consumer there names one, so
 * the control plane needs the right to list and watch Secrets in these namespaces alone. Only hashes of the named Secrets
 * are kept.
 */
export function createSecretApiKeys({ createWatcher, onKeys, clock, logger }: SecretApiKeysOptions): ApiKeySource {
  const table = createApiKeyTable((secrets, changed) => {
    onKeys(secrets, changed);
    checkAll();
  });
  const namespaces = new Map<string, Namespace>();
  const stopping = new Set<Promise<void>>();
  let needed: NeededSecrets = new Map();
  let allRead = (): void => undefined;
  const checkAll = (): void => {
    if (table.hasAll(needed)) allRead();
  };

  const stop = (name: string, namespace: Namespace): void => {
    namespaces.delete(name);
    const stopped = namespace.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };

  return {
    follow: (next) => {
      needed = next;
      table.keepOnly(needed);
      for (const [name, namespace] of [...namespaces]) if (!needed.has(name)) stop(name, namespace);
      for (const [name, names] of needed) {
        const namespace = namespaces.get(name) ?? watchNamespace(name, { createWatcher, clock, logger }, table.set);
        namespaces.set(name, namespace);
        namespace.need(names);
      }
    },
    readAll: async (withinMs) => {
      if (table.hasAll(needed)) return;
      await settledWithin(new Promise<void>((resolve) => (allRead = resolve)), withinMs, clock);
    },
    stop: async () => {
      for (const [name, namespace] of [...namespaces]) stop(name, namespace);
      await Promise.all(stopping);
    },
  };
}

/** How long new names are collected before the Secrets are listed for them, in milliseconds. */
const COLLECT_MS = 200;

function watchNamespace(
  name: string,
  { createWatcher, clock, logger }: Omit<SecretApiKeysOptions, 'onKeys'>,
  set: (namespace: string, states: ReadonlyMap<string, ApiKeySecret>) => void,
): Namespace {
  let needed: ReadonlySet<string> = new Set();
  /** Of the needed Secrets that exist. */
  let found = new Map<string, ApiKeySecret>();
  /** The names whose Secrets the running watch has kept; empty without one. */
  let watched: ReadonlySet<string> = new Set();
  let isForbidden = false;
  let isStopped = false;
  let running: Promise<ListWatcher | undefined> = Promise.resolve(undefined);
  let cancelStart: (() => void) | undefined;

  const tell = (names: Iterable<string>): void => {
    if (isStopped) return;
    const states = new Map<string, ApiKeySecret>();
    for (const each of names) if (needed.has(each)) states.set(each, found.get(each) ?? MISSING);
    set(name, states);
  };
  const tellForbidden = (): void => {
    const { reason, remedy } = secretsForbidden(name);
    const forbidden = unusable(reason, remedy);
    if (!isStopped) set(name, new Map([...needed].map((each) => [each, forbidden])));
  };
  const sinkFor = (names: ReadonlySet<string>): ReflectorSink => ({
    isEmpty: () => found.size === 0,
    replace: () => {
      const next = new Map<string, ApiKeySecret>();
      return {
        add: (objects) => {
          for (const object of objects) {
            if (names.has(object.metadata.name)) next.set(object.metadata.name, stateOf(object));
          }
        },
        commit: () => {
          found = next;
          watched = names;
          isForbidden = false;
          tell(names);
        },
      };
    },
    apply: (events) => {
      for (const { type, object } of events) {
        const { name: secret } = object.metadata;
        if (type === 'DELETED') found.delete(secret);
        else if (names.has(secret)) found.set(secret, stateOf(object));
      }
      tell(events.map(({ object }) => object.metadata.name).filter((secret) => names.has(secret)));
    },
  });
  const restart = async (before: Promise<ListWatcher | undefined>): Promise<ListWatcher | undefined> => {
    try {
      await (await before)?.stop();
      if (isStopped) return undefined;
      const watcher = await createWatcher();
      watcher.watch({
        definition: SECRET_KIND,
        namespace: name,
        sink: sinkFor(needed),
        onState: (state) => {
          if (state.type !== 'forbidden') return;
          isForbidden = true;
          tellForbidden();
        },
      });
      return watcher;
    } catch (err) {
      logger.error({ err, namespace: name }, 'secrets with api keys cannot be watched');
      return undefined;
    }
  };
  return {
    need: (names) => {
      const before = needed;
      needed = names;
      if (isForbidden) tellForbidden();
      // The table has forgotten a Secret that no Consumer named in the meantime.
      else tell([...names].filter((each) => !before.has(each) && watched.has(each)));
      // Contents of other Secrets were not kept: they are read again for a new name.
      if ([...names].every((each) => watched.has(each))) return;
      cancelStart ??= clock.schedule(COLLECT_MS, () => {
        cancelStart = undefined;
        running = restart(running);
      });
    },
    stop: async () => {
      isStopped = true;
      cancelStart?.();
      await (await running)?.stop();
    },
  };
}

function stateOf(secret: RawObject & { readonly data?: unknown }): ApiKeySecret {
  const texts = new Map<string, string>();
  for (const entry of isRecord(secret.data) ? Object.keys(secret.data) : []) {
    const text = secretText(secret.data, entry);
    if (text !== undefined) texts.set(entry, text);
  }
  return readApiKeys(texts);
}
