import { isDeepStrictEqual } from 'node:util';
import type { ServiceBody } from '../../../config/core/service.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../../config/object.js';
import { ingressNamespaceOf } from '../../gateways/ingress-namespace.js';
import type { PushContext } from '../../push-context.js';
import type { DerivedSettings } from '../families.js';
import { createIngressFilter } from './ingress-class.js';

/** An address in the status of an Ingress. */
export interface IngressAddress {
  readonly ip?: string;
  readonly hostname?: string;
}

/** The addresses that an Ingress should have. */
export interface IngressAddresses {
  readonly key: ObjectKey;
  /**
   * @param present `status.loadBalancer.ingress` of the object
   * @returns the addresses to write, empty for none; undefined to leave the present ones, which another controller wrote
   */
  desired(present: readonly unknown[]): readonly IngressAddress[] | undefined;
}

/**
 * The addresses of Ingresses of the cluster (docs/ingress.md#status): those of the Service `ingressService`. An Ingress
 * that is not served loses them, and keeps others.
 */
export function ingressAddresses(
  { objects, mesh }: Pick<PushContext, 'objects' | 'mesh'>,
  { meshDomain, ingressNamespace }: Pick<DerivedSettings, 'meshDomain' | 'ingressNamespace'>,
): readonly IngressAddresses[] {
  const namespace = ingressNamespaceOf(mesh, ingressNamespace);
  const service = objects.get('Service')?.get(objectKey('Service', namespace, mesh.ingressService));
  const addresses = service === undefined ? [] : addressesOf(service);
  const isServed = createIngressFilter(mesh, meshDomain, objects.get('IngressClass')?.values() ?? []);
  return [...(objects.get('Ingress')?.values() ?? [])]
    .filter(({ origin }) => origin === 'cluster')
    .map((ingress) => {
      const wanted = isServed(ingress) ? addresses : [];
      return {
        key: keyOf(ingress),
        desired: (present) => {
          if (isDeepStrictEqual(present, wanted)) return undefined;
          if (wanted.length > 0) return wanted;
          return isDeepStrictEqual(present, addresses) ? [] : undefined;
        },
      };
    });
}

function addressesOf({ body }: MeshObject): readonly IngressAddress[] {
  const { spec, status } = body as ServiceBody;
  const balanced = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }): readonly IngressAddress[] =>
    ip === undefined && hostname === undefined
      ? []
      : [{ ...(ip === undefined ? {} : { ip }), ...(hostname === undefined ? {} : { hostname }) }],
  );
  return balanced.length > 0 ? balanced : (spec.externalIPs ?? []).map((ip) => ({ ip }));
}
