import type { Finding } from '../model/finding.js';
import type { PushContext } from '../model/push-context.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Records which endpoints wait for their pods. */
export interface PendingPodRecorder {
  /** Takes a new snapshot. It has the finding `endpoint_no_pod` for each endpoint whose pod is not known. */
  observe(context: Pick<PushContext, 'findings'>): void;
}

/**
 * Sets nav_k8s_endpoints_pending_pod to the number of endpoints whose pod is not known in the newest snapshot.
 * nav_k8s_endpoints_with_no_pods counts each endpoint when it begins to wait for its pod, so it never falls. An endpoint
 * whose pod is deleted before it counts again.
 */
export function createPendingPodRecorder(metrics: Pick<Metrics, 'increment' | 'set'>): PendingPodRecorder {
  let seen: readonly Finding[] | undefined;
  let waiting: ReadonlySet<string> = new Set();
  return {
    observe: ({ findings }) => {
      if (findings === seen) return;
      seen = findings;
      const next = new Set(findings.filter(({ metric }) => metric === 'endpoint_no_pod').map(({ key }) => key));
      const begun = [...next].filter((key) => !waiting.has(key)).length;
      if (begun > 0) metrics.increment('nav_k8s_endpoints_with_no_pods', begun);
      metrics.set('nav_k8s_endpoints_pending_pod', next.size);
      waiting = next;
    },
  };
}
