import type { ServiceBody } from '../../../config/core/service.js';
import type { BackendReference } from '../../../config/gateway-api/http-route-filter.js';
import { type MeshObject, objectKey } from '../../../config/object.js';
import { type Destination, WHOLE_SERVICE } from '../../traffic/destination.js';
import type { ObjectTables } from '../objects-of.js';
import type { IsGranted } from '../reference-grants.js';
import type { ReportedCondition } from '../report.js';

/** A reference to a Service that cannot be followed: its share of the requests is answered with 500. */
export interface InvalidBackend {
  readonly type: 'invalid';
  readonly problem: Pick<ReportedCondition, 'reason' | 'message'>;
}

export type ResolvedBackend = { readonly type: 'service'; readonly destination: Destination } | InvalidBackend;

/** Resolves a reference of a route. */
export type ResolveBackend = (reference: BackendReference, routeNamespace: string) => ResolvedBackend;

/** @param domain DNS suffix of the cluster */
export function createBackendResolver(objects: ObjectTables, isGranted: IsGranted, domain: string): ResolveBackend {
  const services = objects.get('Service');
  return ({ group, kind, name, namespace = '', port }, routeNamespace) => {
    if (group !== '' || kind !== 'Service') {
      return invalid('InvalidKind', `the kind ${kind} of group "${group}" is no backend; name a Service`);
    }
    const place = namespace === '' ? routeNamespace : namespace;
    const reference = {
      fromKind: 'HTTPRoute',
      fromNamespace: routeNamespace,
      toKind: 'Service',
      toName: name,
    } as const;
    if (!isGranted({ ...reference, toNamespace: place })) {
      const message = `the Service ${place}/${name} is of another namespace, which has no ReferenceGrant for HTTPRoutes of ${routeNamespace}`;
      return invalid('RefNotPermitted', message);
    }
    const service = services?.get(objectKey('Service', place, name)) as MeshObject<string, ServiceBody> | undefined;
    if (service === undefined) return invalid('BackendNotFound', `the Service ${place}/${name} does not exist`);
    const { ports, type } = service.body.spec;
    // Its host would be resolved where the author of the route may have no rights.
    if (type === 'ExternalName') {
      return invalid(
        'InvalidKind',
        `the Service ${place}/${name} is of type ExternalName; use a ServiceEntry and VirtualService`,
      );
    }
    if (port === undefined) return invalid('BackendNotFound', `the reference to Service ${place}/${name} has no port`);
    const isThere = ports.some((each) => each.port === port && each.protocol === 'TCP');
    if (!isThere) return invalid('BackendNotFound', `the Service ${place}/${name} has no TCP port ${port}`);
    return {
      type: 'service',
      destination: { hostname: `${name}.${place}.svc.${domain}`, port, subset: WHOLE_SERVICE },
    };
  };
}

function invalid(reason: string, message: string): InvalidBackend {
  return { type: 'invalid', problem: { reason, message } };
}
