import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { WorkloadEntrySpec } from '../../config/networking/workload-entry.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import { sourceKeysOf } from '../../model/derived/source-keys.js';
import { servicePatternOf } from '../../model/policy/service-pattern.js';
import type { ProxyType } from '../../model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { kindOfKey } from '../../model/push-request.js';
import type { Rejection } from '../conditions/object-facts.js';
import type { ConfigHistory } from './local-progress.js';

/** The present rejections of proxies, by the objects that caused them. */
export interface RejectionBook {
  /** Reads the present connections. The causes of a rejection are determined once, when it is new. */
  update(connections: readonly ProxyConnection[], context: PushContext): void;
  of(key: ObjectKey): readonly Rejection[];
}

export interface RejectionBookOptions {
  readonly history: Pick<ConfigHistory, 'changedBetween'>;
  affects(key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean;
  /** Version in the ledger of the configuration from which a response was made. */
  configVersionOfNonce(nonce: string): string;
  /** Short name of an xDS type: `cds`, `lds` and so on. */
  shortTypeName(typeUrl: string): string;
}

interface Entry {
  readonly causes: readonly ObjectKey[];
  readonly rejection: Omit<Rejection, 'others'>;
}

/** Finds the applied objects that may have caused one rejection: of an object that the control plane made, its sources. */
export type RejectionReader = (rejected: RejectedWatch, context: PushContext) => readonly ObjectKey[];

/** A rejected response of one type. */
export interface RejectedWatch {
  readonly typeUrl: string;
  readonly proxyType: ProxyType;
  /** Empty if the proxy has accepted nothing. */
  readonly ackedConfigVersion: string;
  readonly rejection: { readonly message: string; readonly nonce: string };
}

export function createRejectionReader(
  options: Pick<RejectionBookOptions, 'history' | 'affects' | 'configVersionOfNonce'>,
): RejectionReader {
  return ({ typeUrl, proxyType, ackedConfigVersion, rejection: { message, nonce } }, context) => {
    const changed =
      ackedConfigVersion === ''
        ? undefined
        : options.history.changedBetween(ackedConfigVersion, options.configVersionOfNonce(nonce));
    const affecting = changed && new Set([...changed].filter((key) => options.affects(key, typeUrl, proxyType)));
    const causes = rejectionCauses(message, affecting, context).flatMap((key) => {
      const sources = sourceKeysOf(context, key);
      return sources.length === 0 ? [key] : sources;
    });
    return [...new Set(causes)];
  };
}

/** Rejections of one object that its status names: a thousand proxies can reject the same configuration. */
const MAX_REJECTIONS = 20;

export function createRejectionBook(options: RejectionBookOptions): RejectionBook {
  let entries = new Map<string, Entry>();
  let byObject = new Map<ObjectKey, Rejection[]>();

  const causesOf = createRejectionReader(options);
  const read = ({ proxy }: ProxyConnection, watch: WatchSnapshot, context: PushContext): Entry => {
    const { code, ...rejection } = watch.rejection ?? { code: '', message: '', nonce: '' };
    const { typeUrl, ackedConfigVersion } = watch;
    return {
      causes: causesOf({ typeUrl, proxyType: proxy.type, ackedConfigVersion, rejection }, context),
      rejection: {
        proxy: workloadOf(proxy.id),
        type: options.shortTypeName(typeUrl),
        text: rejection.message === '' ? code : rejection.message,
      },
    };
  };

  return {
    update: (connections, context) => {
      const next = new Map<string, Entry>();
      for (const connection of connections) {
        for (const watch of connection.watches.values()) {
          if (watch.rejection === undefined) continue;
          const id = `${connection.id} ${watch.typeUrl} ${watch.rejection.nonce}`;
          next.set(id, entries.get(id) ?? read(connection, watch, context));
        }
      }
      entries = next;
      byObject = new Map();
      for (const { causes, rejection } of entries.values()) {
        for (const cause of causes) {
          const told = byObject.get(cause) ?? [];
          if (told.length < MAX_REJECTIONS) told.push({ ...rejection, others: causes.filter((key) => key !== cause) });
          byObject.set(cause, told);
        }
      }
    },
    of: (key) => byObject.get(key) ?? [],
  };
}

/** `web-1.shop` of `sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local`. */
function workloadOf(nodeId: string): string {
  return nodeId.split('~')[2] ?? nodeId;
}

/**
 * The objects that may have caused a rejection. They are those changed objects that the proxy's error names, or all
 * changed objects if it names none, EnvoyFilters first. If the changed objects are unknown, they are the objects that the
 * error names.
 *
 * @param changed objects that changed since the last version that the proxy accepted; undefined if it accepted none
 */
function rejectionCauses(
  text: string,
  changed: ReadonlySet<ObjectKey> | undefined,
  context: PushContext,
): readonly ObjectKey[] {
  const candidates = [...(changed ?? allKeys(context))].sort(likelyFirst);
  const named = candidates.filter((key) => {
    const object = context.objects.get(kindOfKey(key))?.get(key);
    return object !== undefined && namesOf(object, context.domain).some((name) => hasName(text, name));
  });
  if (named.length > 0) return named;
  return changed === undefined ? [] : candidates;
}

/** Patches come first: their authors write resources of Envoy, which the mesh cannot check as a whole. */
function likelyFirst(one: ObjectKey, other: ObjectKey): number {
  const isPatch = (key: ObjectKey) => kindOfKey(key) === 'EnvoyFilter';
  return Number(isPatch(other)) - Number(isPatch(one)) || (one < other ? -1 : 1);
}

function* allKeys({ objects }: PushContext): Iterable<ObjectKey> {
  for (const table of objects.values()) yield* table.keys();
}

/** Parts of the names of clusters, listeners, routes and filters that are made from an object. */
function namesOf({ kind, metadata, body }: MeshObject, domain: string): readonly string[] {
  switch (kind) {
    case 'ServiceEntry':
      return (body as ServiceEntrySpec).hosts;
    case 'WorkloadEntry':
      return [(body as WorkloadEntrySpec).address];
    case 'Service':
      return [`${metadata.name}.${metadata.namespace}.svc.${domain}`];
    case 'QuotaSpecBinding':
    case 'HTTPAPISpecBinding':
      return (body as QuotaSpecBinding | HttpApiSpecBinding).services.flatMap((service) => {
        const pattern = servicePatternOf(service, metadata.namespace, domain);
        return pattern.type === 'host' ? [pattern.hostname] : [];
      });
    default:
      return [];
  }
}

/** Whether the text contains the whole name: `outbound|80||a.com` contains `a.com`, `aa.com` does not. */
function hasName(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + name.length);
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
