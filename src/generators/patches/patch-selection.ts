import { contentVersion } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo, memoize } from '../../model/memo.js';
import { createEnvoyPatchIndexer, type Patch, type WorkloadPatches } from '../../model/patches/envoy-patches.js';
import { createProxyMatcher } from '../../model/patches/proxy-match.js';
import type { WithheldPatch } from '../../model/patches/withheld-patch.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf } from '../../model/security/mutual-tls.js';
import type { NamedPorts, PatchPlace } from './patch-place.js';

/** The patches of one proxy for one type of resources. */
export interface SelectedPatches {
  /** Equal ones have equal keys. */
  readonly key: string;
  /** In order. The same object for proxies with the same patches. */
  readonly patches: readonly Patch[];
  /** EnvoyFilters that are left out because there are too many. */
  readonly omitted: WorkloadPatches['omitted'];
  /** Those of the patches that the proxy rejected, by their ids. Empty for most proxies. */
  readonly withheld: ReadonlyMap<string, WithheldPatch>;
  readonly place: PatchPlace;
  /** Equal places have equal keys. */
  readonly placeKey: string;
}

/** Selects patches. Undefined for most proxies. */
export interface PatchSelection {
  of(context: PushContext, proxy: Proxy, typeUrl: string): SelectedPatches | undefined;
  /** The patches for resources of all types. The same array while they stay the same. */
  ofAllTypes(context: PushContext, proxy: Proxy): readonly Patch[];
}

const LISTENER_PARTS = ['LISTENER', 'FILTER_CHAIN', 'NETWORK_FILTER', 'HTTP_FILTER'] as const;
const ROUTE_PARTS = ['ROUTE_CONFIGURATION', 'VIRTUAL_HOST', 'HTTP_ROUTE'] as const;

/** What is patched in the resources of a type. Routes of inbound listeners are in the listeners. */
const APPLY_TO: Readonly<Record<string, readonly Patch['applyTo'][] | undefined>> = {
  [TypeUrl.cluster]: ['CLUSTER'],
  [TypeUrl.listener]: [...LISTENER_PARTS, ...ROUTE_PARTS],
  [TypeUrl.route]: ROUTE_PARTS,
};

const NO_PORTS: NamedPorts = { key: '', numbers: () => new Set() };

export function createPatchSelection(): PatchSelection {
  const indexOf = createEnvoyPatchIndexer(createProxyMatcher());
  const ofType = createMemo<readonly Patch[]>();
  const portNamesOf = memoize(portNames);
  const portsOf = createPortLookup();
  return {
    ofAllTypes: (context, proxy) => indexOf(context).ofProxy(proxy, labelsOf(context, proxy)).patches,
    of: (context, proxy, typeUrl) => {
      const workload = indexOf(context).ofProxy(proxy, labelsOf(context, proxy));
      const applyTo = APPLY_TO[typeUrl];
      if (workload.patches.length === 0 || applyTo === undefined) return undefined;
      const patches = ofType.of([workload], typeUrl, () =>
        workload.patches.filter((patch) => applyTo.includes(patch.applyTo)),
      );
      if (patches.length === 0) return undefined;
      const names = portNamesOf(patches);
      const ports = names.length === 0 ? NO_PORTS : portsOf(context, proxy, names);
      const placeKey = [proxy.type, ports.key].join('|');
      const withheld = withheldOf(proxy, patches);
      return {
        key: [workload.key, placeKey, ...Array.from(withheld.values(), keyOfWithheld)].join('|'),
        patches,
        omitted: workload.omitted,
        withheld,
        place: { proxyType: proxy.type, ports },
        placeKey,
      };
    },
  };
}

const NONE_WITHHELD: SelectedPatches['withheld'] = new Map();

/** The withheld patches that still exist with the content that the proxy rejected, in their order. */
function withheldOf({ withheldPatches = [] }: Proxy, patches: readonly Patch[]): SelectedPatches['withheld'] {
  if (withheldPatches.length === 0) return NONE_WITHHELD;
  const byId = new Map(withheldPatches.map((withheld) => [withheld.id, withheld]));
  return new Map(
    patches.flatMap(({ id }) => {
      const withheld = byId.get(id);
      return withheld === undefined ? [] : [[id, withheld] as const];
    }),
  );
}

/** Proxies that reject the same patch for the same reason share their resources. */
function keyOfWithheld({ id, resources, reason }: WithheldPatch): string {
  const names = resources === undefined ? 'all' : [...resources].sort();
  return contentVersion(Buffer.from(JSON.stringify([id, names, reason])));
}

/** The names of ports in matches, in lower case. */
function portNames(patches: readonly Patch[]): readonly string[] {
  const names = patches.flatMap(({ match }) => match?.listener?.portName ?? match?.routeConfiguration?.portName ?? []);
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

type Numbers = ReadonlyMap<string, ReadonlySet<number>>;

function createPortLookup(): (context: PushContext, proxy: Proxy, names: readonly string[]) => NamedPorts {
  const ofLists = createMemo<Numbers>();
  return (context, proxy, names) => {
    const key = names.join();
    const outbound = (): Numbers => {
      const view = context.viewIn(proxy.configNamespace, proxy.metadata.clusterId);
      return ofLists.of([view], key, () =>
        collect(
          names,
          view.services.flatMap(({ ports }) => ports),
        ),
      );
    };
    const gateways = (): Numbers => {
      const table = context.objects.get('Gateway');
      if (table === undefined) return new Map();
      return ofLists.of([table], key, () => {
        const bodies = Array.from(table.values(), ({ body }) => body as GatewayBody);
        return collect(
          names,
          bodies.flatMap(({ servers = [] }) => servers.map(({ port }) => port)),
        );
      });
    };
    const inbound = (): Numbers => {
      const targets = context.targetsOf(proxy);
      return ofLists.of([targets], key, () =>
        collect(
          names,
          targets.map(({ port, targetPort }) => ({ name: port.name, number: targetPort })),
        ),
      );
    };
    const [here, there] = proxy.type === 'router' ? [gateways(), gateways()] : [inbound(), outbound()];
    return {
      key: JSON.stringify([here, there].map((numbers) => [...numbers].map(([name, set]) => [name, ...set]))),
      numbers: (side, name) => (side === 'SIDECAR_OUTBOUND' ? there : here).get(name) ?? new Set(),
    };
  };
}

/** The part of a Gateway that is read. */
interface GatewayBody {
  readonly servers?: readonly { readonly port: { readonly name: string; readonly number: number } }[];
}

function collect(
  names: readonly string[],
  ports: readonly { readonly name: string; readonly number: number }[],
): Numbers {
  const numbers = new Map(names.map((name) => [name, new Set<number>()]));
  for (const { name, number } of ports) numbers.get(name.toLowerCase())?.add(number);
  return new Map([...numbers].map(([name, set]) => [name, new Set([...set].sort((a, b) => a - b))]));
}
