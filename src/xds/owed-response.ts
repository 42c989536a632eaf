import { concatEntries, type ResourceSet } from '../envoy/resource-set.js';
import type { Proxy } from '../model/proxy.js';
import type { Distribution } from '../push/distribution.js';
import type { ComposedResponse } from '../push/response-cache.js';
import type { Work } from '../push/work.js';
import type { Due, Watch } from './watch.js';

/** What a proxy is owed of one type, ready to be written. */
export interface OwedResponse {
  readonly response: ComposedResponse;
  /** What the proxy has once it accepts. */
  readonly set: ResourceSet;
  /** Ledger root of the snapshot that the response is about. */
  readonly root: string;
}

interface Selected {
  /** Stands for the resources: streams with the same object share its bytes. */
  readonly group: object;
  /** Puts the bytes together; asked for only when the response is not known yet. */
  prepareBody(): Work<readonly Uint8Array[]>;
}

/**
 * Finds out whether a watch needs a response, and composes it, with pauses. Nothing is owed when the snapshot says what
 * the proxy has already, or what it has refused; but clusters that warm wait for their endpoints, whatever was refused
 * before. All of it is about the snapshot at the time of the first step.
 *
 * @param due `always` for a proxy that asked, `ifChanged` after a push
 */
export function* nextResponse(
  distribution: Distribution,
  proxy: Proxy,
  watch: Watch,
  due: Due,
): Work<OwedResponse | undefined> {
  const { context, root, resources, responses } = distribution;
  if (context === undefined) return undefined;
  const set = yield* resources.prepareResources(watch.generator, proxy, watch.names);
  const selected = due === 'always' ? everythingOf(set) : selectNews(distribution, watch, set);
  if (selected === undefined) {
    watch.unchanged(set, root);
    return undefined;
  }
  if (due !== 'always' && watch.warming === undefined && watch.wasRefused(set)) return undefined;
  const { typeUrl } = watch.generator;
  const header = { group: selected.group, typeUrl, versionInfo: context.version, root };
  const known = responses.find(header, watch.sentNonce);
  if (known !== undefined) return { response: known, set, root };
  const body = yield* selected.prepareBody();
  return { response: responses.responseFor({ ...header, body: () => body }, watch.sentNonce), set, root };
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
  return {
    group: selection,
    *prepareBody() {
      return [yield* concatEntries(selection.resources)];
    },
  };
}

function everythingOf(set: ResourceSet): Selected {
  return { group: set, prepareBody: () => set.prepareBody() };
}
