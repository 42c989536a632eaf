import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import type { AttributeManifestSpec } from '../../../config/policy-rules/attribute-manifest.js';
import type { ValueType } from '../../../expressions/expression-types.js';
import { createMemo } from '../../memo.js';
import { compareObjects } from '../../object-order.js';
import { isOfOperator } from '../../operator-object.js';
import type { RuleSource } from './rule-source.js';

/** The attributes that attributemanifests declare for the rules of one namespace. */
export interface DeclaredAttributes {
  readonly types: ReadonlyMap<string, ValueType>;
  /** Declarations that an older manifest overrides with another type. */
  readonly conflicts: readonly AttributeConflict[];
}

/** An attribute to which two manifests give different types. */
export interface AttributeConflict {
  /** The younger manifest, whose declaration has no effect. */
  readonly manifest: ObjectKey;
  readonly attribute: string;
  readonly type: ValueType;
  readonly older: ObjectKey;
  readonly olderType: ValueType;
}

const NONE: DeclaredAttributes = { types: new Map(), conflicts: [] };
const memo = createMemo<DeclaredAttributes>();

/** The manifests of the operator count everywhere and first, those of other namespaces only there; the oldest first. */
export function declaredAttributes({ objects, bindingGrants }: RuleSource, namespace: string): DeclaredAttributes {
  const table = objects.get('attributemanifest');
  if (table === undefined || table.size === 0) return NONE;
  const { rootNamespace } = bindingGrants;
  return memo.of([table], `${rootNamespace}/${namespace}`, () => {
    const isOfAll = (manifest: MeshObject): boolean => isOfOperator(manifest, rootNamespace);
    const concerned = [...table.values()].filter((each) => isOfAll(each) || each.metadata.namespace === namespace);
    return merge(concerned.sort((a, b) => Number(isOfAll(b)) - Number(isOfAll(a)) || compareObjects(a, b)));
  });
}

function merge(manifests: readonly MeshObject[]): DeclaredAttributes {
  const types = new Map<string, ValueType>();
  const owners = new Map<string, ObjectKey>();
  const conflicts: AttributeConflict[] = [];
  for (const manifest of manifests) {
    const key = keyOf(manifest);
    for (const [attribute, { valueType: type }] of Object.entries(
      (manifest.body as AttributeManifestSpec).attributes,
    )) {
      const [olderType, older] = [types.get(attribute), owners.get(attribute)];
      if (olderType === undefined || older === undefined) {
        types.set(attribute, type);
        owners.set(attribute, key);
      } else if (olderType !== type) conflicts.push({ manifest: key, attribute, type, older, olderType });
    }
  }
  return { types, conflicts };
}
