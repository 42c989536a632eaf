import type { MeshObject } from '../../../config/object.js';
import { ingressNamespaceOf } from '../../gateways/ingress-namespace.js';
import { memoize } from '../../memo.js';
import type { Derivation, DerivationInput, DerivationProblem, DerivedFamily, DerivedObject } from '../derivation.js';
import type { DerivedSettings } from '../families.js';
import { findHostOwners, type HostOwners, type HostShare } from './host-owners.js';
import { buildHostRoutes } from './host-routes.js';
import { createIngressFilter } from './ingress-class.js';
import { buildIngressGateway, ownedHosts } from './ingress-gateway.js';
import { type IngressParts, readIngressParts } from './ingress-parts.js';
import { hostRoutesName, ingressGatewayName } from './names.js';

type Settings = Pick<DerivedSettings, 'domain' | 'meshDomain' | 'ingressNamespace'>;

/** Ingresses of the mesh's class give Gateways in the ingress namespace, and a VirtualService for each host. */
export function createIngressFamily({ domain, meshDomain, ingressNamespace }: Settings): DerivedFamily {
  const partsOf = memoize(readIngressParts);
  return {
    kinds: ['Ingress', 'IngressClass'],
    derive: ({ mesh, objectsOf, find }: DerivationInput): Derivation => {
      const isServed = createIngressFilter(mesh, meshDomain, objectsOf('IngressClass'));
      const served = objectsOf('Ingress').filter(isServed);
      if (served.length === 0) return { objects: [], problems: [] };
      const all = served.map(partsOf);
      const owners = findHostOwners(all);
      const namespace = ingressNamespaceOf(mesh, ingressNamespace);
      const names = gatewayNames(served);
      const settings = { gatewayNamespace: namespace, selector: mesh.ingressSelector };
      const objects = all.flatMap((parts) => gatewayOf(parts, owners, names, settings));
      const problems: DerivationProblem[] = [...all.flatMap((parts) => parts.problems), ...owners.problems];
      for (const [host, shares] of owners.shares) {
        const routes = routesOf(host, shares, owners, { domain, namespace, names }, find);
        objects.push(...routes.objects);
        problems.push(...routes.problems);
      }
      return { objects, problems };
    },
  };
}

/** The oldest Ingress of a name has it for its Gateway; others add their namespace. */
function gatewayNames(served: readonly MeshObject[]): ReadonlyMap<MeshObject, string> {
  const taken = new Set<string>();
  return new Map(
    served.map((ingress) => {
      const { name, namespace } = ingress.metadata;
      const isFirst = !taken.has(name);
      taken.add(name);
      return [ingress, ingressGatewayName(namespace, name, isFirst)];
    }),
  );
}

function gatewayOf(
  parts: IngressParts,
  owners: HostOwners,
  names: ReadonlyMap<MeshObject, string>,
  settings: Parameters<typeof buildIngressGateway>[2],
): DerivedObject[] {
  const { ingress } = parts;
  const body = buildIngressGateway(ingress.metadata.namespace, ownedHosts(parts, owners), settings);
  if (body === undefined) return [];
  const name = names.get(ingress) ?? '';
  return [{ kind: 'Gateway', namespace: settings.gatewayNamespace, name, body, sources: [ingress] }];
}

function routesOf(
  host: string,
  shares: readonly HostShare[],
  owners: HostOwners,
  { domain, namespace, names }: { domain: string; namespace: string; names: ReadonlyMap<MeshObject, string> },
  find: DerivationInput['find'],
): { objects: readonly DerivedObject[]; problems: readonly DerivationProblem[] } {
  const [first] = shares;
  if (first === undefined) return { objects: [], problems: [] };
  const certified = owners.certificates.get(host)?.ingress;
  const serving = [...new Set([first.ingress, certified ?? first.ingress])];
  const gateways = serving.map((ingress) => `${namespace}/${names.get(ingress)}`);
  const { spec, problems } = buildHostRoutes(host, shares, { domain, gateways }, find);
  if (spec === undefined) return { objects: [], problems };
  const sources = [...new Set([...shares.map(({ ingress }) => ingress), ...serving])] as [MeshObject, ...MeshObject[]];
  const object: DerivedObject = {
    kind: 'VirtualService',
    namespace: first.ingress.metadata.namespace,
    name: hostRoutesName(host),
    body: spec,
    sources,
  };
  return { objects: [object], problems };
}
