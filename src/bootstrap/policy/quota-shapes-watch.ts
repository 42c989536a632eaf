import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { isSameShapes, NO_QUOTA_SHAPES, type QuotaShapes } from '../../model/policy/fast/quota-shapes.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { MeshStore } from '../../model/store/mesh-store.js';
import type { SubmitChange } from '../submit-change.js';

export interface QuotaShapesWatchParts {
  readonly store: Pick<MeshStore, 'setQuotaShapes'>;
  readonly submit: SubmitChange;
  readonly mesh: () => MeshConfig;
  /** Of the limits of the policy server in this process. */
  readonly ownShapes: () => QuotaShapes;
  readonly connections: () => readonly ProxyConnection[];
}

/** Keeps the forms of limits in the snapshots: those of the policy server that the mesh config names for checks. */
export interface QuotaShapesWatch {
  /** Something has changed that the forms may depend on. */
  look(): void;
}

export function createQuotaShapesWatch(parts: QuotaShapesWatchParts): QuotaShapesWatch {
  const { store, submit, mesh, ownShapes, connections } = parts;
  let known = NO_QUOTA_SHAPES;
  return {
    look: () => {
      const server = checkServerOf(mesh());
      const next =
        server?.type === 'address'
          ? // A policy server that has left is expected back: without its limits, proxies would check each request.
            (shapesOfServer(server.host, connections()) ?? known)
          : ownShapes();
      if (isSameShapes(next, known)) return;
      known = next;
      submit(store.setQuotaShapes(next));
    },
  };
}

/** The forms that a connected policy server reports, of the namespace in the host that proxies call. */
function shapesOfServer(host: string, connections: readonly ProxyConnection[]): QuotaShapes | undefined {
  const [, namespace] = host.split('.');
  for (const { proxy } of connections) {
    const { quotaShapes } = proxy.metadata;
    if (quotaShapes !== undefined && proxy.configNamespace === namespace) return quotaShapes;
  }
  return undefined;
}
