import { appendTo } from '../../base/append-to.js';
import { GATEWAY_API_GROUP } from '../../config/gateway-api/gateway-api-names.js';
import type { ReferenceGrantSpec } from '../../config/gateway-api/reference-grant.js';
import { type ObjectTables, objectsOf } from './objects-of.js';

/** A reference of an object of the Gateway API to an object of the core group. */
export interface CrossReference {
  readonly fromKind: 'Gateway' | 'HTTPRoute';
  readonly fromNamespace: string;
  readonly toKind: 'Secret' | 'Service';
  readonly toNamespace: string;
  readonly toName: string;
}

/** Whether a reference is within a namespace, or a ReferenceGrant of the other namespace allows it. */
export type IsGranted = (reference: CrossReference) => boolean;

export function createGrants(objects: ObjectTables): IsGranted {
  const byNamespace = new Map<string, ReferenceGrantSpec[]>();
  for (const { metadata, body } of objectsOf<ReferenceGrantSpec>(objects, 'ReferenceGrant')) {
    appendTo(byNamespace, metadata.namespace, body);
  }
  return ({ fromKind, fromNamespace, toKind, toNamespace, toName }) =>
    fromNamespace === toNamespace ||
    (byNamespace.get(toNamespace) ?? []).some(
      ({ from, to }) =>
        from.some(
          ({ group, kind, namespace }) =>
            group === GATEWAY_API_GROUP && kind === fromKind && namespace === fromNamespace,
        ) &&
        to.some(({ group, kind, name = '' }) => group === '' && kind === toKind && (name === '' || name === toName)),
    );
}
