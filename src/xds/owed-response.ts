import type { ResourceSet } from '../envoy/resource-set.js';
import type { Proxy } from '../model/proxy.js';
import type { Distribution } from '../push/distribution.js';
import type { ComposedResponse } from '../push/response-cache.js';
import type { Watch } from './watch.js';

/** What a proxy is owed of one type, ready to be written. */
export interface OwedResponse {
  readonly response: ComposedResponse;
  /** What the proxy has once it accepts. */
  readonly set: ResourceSet;
}

interface Selected {
  /** Stands for the resources: streams with the same object share its bytes. */
  readonly group: object;
  readonly body: () => readonly Uint8Array[];
}

/**
 * Finds out whether a due watch needs a response, and composes it. Nothing is owed when the newest
 * snapshot says what the proxy has already, or what it has refused; but clusters that warm wait for their endpoints,
 * whatever was refused before.
 */
export function oweResponse(distribution: Distribution, proxy: Proxy, watch: Watch): OwedResponse | undefined {
  const { context, root, resources, responses } = distribution;
  if (context === undefined) return undefined;
  const set = resources.resourcesFor(watch.generator, proxy, watch.names);
  const selected = watch.due === 'always' ? everythingOf(set) : selectNews(distribution, watch, set);
  if (selected === undefined) {
    watch.unchanged(set, root);
    return undefined;
  }
  if (watch.due !== 'always' && watch.warming === undefined && watch.wasRefused(set)) {
    watch.due = 'no';
    return undefined;
  }
  const content = { ...selected, typeUrl: watch.generator.typeUrl, versionInfo: context.version, root };
  return { response: responses.responseFor(content, watch.sentNonce), set };
}

/**
 * What a push has to carry: everything of a wildcard type, for what is left out would be taken as deleted;
 * only what is new of a type that is asked for by name.
 */
function selectNews(distribution: Distribution, watch: Watch, set: ResourceSet): Selected | undefined {
  if (watch.generator.mode === 'wildcard') {
    return set.hash === watch.sent?.hash ? undefined : everythingOf(set);
  }
  const selection = distribution.diffs.select(watch.sent, set, watch.warming);
  if (selection.resources.length === 0) return undefined;
  return { group: selection, body: () => [Buffer.concat(selection.resources.map(({ entry }) => entry))] };
}

function everythingOf(set: ResourceSet): Selected {
  return { group: set, body: () => set.body() };
}
