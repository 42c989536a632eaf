import { appendTo } from '../../base/append-to.js';
import { isRecord } from '../../base/record.js';
import { MESH_GATEWAY, resolveGatewayName, resolveHost } from '../../config/networking/host-names.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import { isRuleKind, RULE_KINDS } from '../../config/policy-rules/kind-names.js';
import { memoize } from '../../model/memo.js';
import { namesIn } from '../../model/policy/rules/names-in.js';
import { resolveReference } from '../../model/policy/rules/resolve-reference.js';
import type { PushContext } from '../../model/push-context.js';
import { visitInTurns } from '../in-turns.js';
import { compareText } from '../order.js';

/** A name in an object that stands for another object. */
export interface Reference {
  /** The object, or the host, that the field names. */
  readonly target: ObjectKey;
  /** Path of the field. */
  readonly field: string;
  /** Whether the target exists. */
  readonly exists: boolean;
}

/** The kinds of the mesh's own configuration have references; a pod has none that a page shows. */
const KINDS: ReadonlySet<string> = new Set([
  'VirtualService',
  'DestinationRule',
  'Gateway',
  'Sidecar',
  'QuotaSpecBinding',
  'HTTPAPISpecBinding',
  ...RULE_KINDS,
]);

/** The objects that an object names, each once. */
export function referencesOf(object: MeshObject, context: PushContext): readonly Reference[] {
  if (!KINDS.has(object.kind)) return [];
  const found = new Map<ObjectKey, Reference>();
  for (const { target, field } of namedTargets(object, context)) {
    if (target === keyOf(object) || found.has(target)) continue;
    const kind = target.slice(0, target.indexOf('/'));
    const exists = context.objects.get(kind)?.has(target) ?? false;
    // A host of no service can be outside of the mesh, which is no broken reference.
    found.set(target, { target, field, exists });
  }
  return [...found.values()];
}

/** The objects that name each object. */
export type Referrers = ReadonlyMap<ObjectKey, readonly ObjectKey[]>;

const OBJECTS_AT_ONCE = 100;

/** The references of a snapshot in the other direction. The first call for a snapshot reads all objects, in turns. */
export const referrersIn = memoize(async (context: PushContext): Promise<Referrers> => {
  const index = new Map<ObjectKey, ObjectKey[]>();
  for (const kind of KINDS) {
    await visitInTurns(context.objects.get(kind) ?? [], OBJECTS_AT_ONCE, ([from, object]) => {
      for (const { target } of referencesOf(object, context)) appendTo(index, target, from);
    });
  }
  for (const list of index.values()) list.sort(compareText);
  return index;
});

interface Named {
  readonly target: ObjectKey;
  readonly field: string;
}

function* namedTargets(object: MeshObject, context: PushContext): Generator<Named> {
  const { kind, metadata, body } = object;
  const { namespace } = metadata;
  if (isRuleKind(kind)) {
    for (const [ofKind, written, field] of namesIn(object)) {
      yield { target: resolveReference(context, object, ofKind, written).key, field: `spec.${field}` };
    }
    return;
  }
  for (const { path, key, value } of leaves(body)) {
    if (key === 'host' || (key === 'hosts' && kind === 'VirtualService')) {
      const service = context.servicesByHost.get(resolveHost(value, namespace, context.domain));
      if (service !== undefined) yield { target: service.source, field: path };
    } else if (key === 'gateways' && value !== MESH_GATEWAY) {
      const [inNamespace = '', name = ''] = resolveGatewayName(value, namespace).split('/');
      yield { target: objectKey('Gateway', inNamespace, name), field: path };
    } else if (key === 'credentialName') {
      yield { target: objectKey('Secret', namespace, value), field: path };
    }
  }
  for (const [list, ofKind] of LISTS) {
    for (const [index, item] of listOf(body, list).entries()) {
      const { name, namespace: other = namespace } = item as { name?: string; namespace?: string };
      if (name === undefined) continue;
      const target =
        ofKind === 'Service'
          ? context.servicesByHost.get(`${name}.${other}.svc.${context.domain}`)?.source
          : objectKey(ofKind, other, name);
      if (target !== undefined) yield { target, field: `spec.${list}[${index}]` };
    }
  }
}

/** Lists of references by name and namespace. */
const LISTS = [
  ['quotaSpecs', 'QuotaSpec'],
  ['apiSpecs', 'HTTPAPISpec'],
  ['services', 'Service'],
] as const;

function listOf(body: unknown, name: string): readonly object[] {
  const list = isRecord(body) ? body[name] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

interface Leaf {
  readonly path: string;
  /** The nearest name, without numbers of lists. */
  readonly key: string;
  readonly value: string;
}

function* leaves(value: unknown, path = 'spec', key = ''): Generator<Leaf> {
  if (typeof value === 'string') yield { path, key, value };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leaves(item, `${path}[${index}]`, key);
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) yield* leaves(item, `${path}.${name}`, name);
  }
}
