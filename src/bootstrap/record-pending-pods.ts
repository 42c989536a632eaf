import type { Finding } from '../model/finding.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Records which endpoints wait for their pods (BEHAVIOUR 1, "Registry/config"). */
export interface PendingPodRecorder {
  /** Takes the findings of a new snapshot: `endpoint_no_pod` is there for as long as the pod is not known. */
  observe(findings: readonly Finding[]): void;
}

/**
 * Records into nav_k8s_endpoints_pending_pod, the endpoints of the newest snapshot that name a pod which is not known,
 * and into nav_k8s_endpoints_with_no_pods, which counts each one when it begins to wait: a pod that comes late does not
 * take it back, and one that goes while its endpoint stays counts again.
 */
export function createPendingPodRecorder(metrics: Pick<Metrics, 'increment' | 'set'>): PendingPodRecorder {
  let seen: readonly Finding[] | undefined;
  let waiting: ReadonlySet<string> = new Set();
  return {
    observe: (findings) => {
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
