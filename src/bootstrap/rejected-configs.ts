import type { Finding } from '../model/finding.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Counts the conflicts of Gateways in nav_total_rejected_configs. */
export interface RejectedConfigs {
  /** Counts each conflict that the findings before did not have. */
  observe(findings: readonly Finding[]): void;
}

/** Gateways that have a series of their own; a counter keeps its series, and tenants choose the names. */
const MAX_NAMES = 1_000;
const OTHERS = 'others';

export function createRejectedConfigs(metrics: Pick<Metrics, 'increment'>): RejectedConfigs {
  const names = new Set<string>();
  let known: ReadonlySet<string> = new Set();
  return {
    observe: (findings) => {
      const present = new Set<string>();
      for (const { metric, key, object, isConflict, message } of findings) {
        if (metric !== 'nav_gateway_servers_rejected' || isConflict !== true || object === undefined) continue;
        const identity = `${key} ${message}`;
        if (present.has(identity)) continue;
        present.add(identity);
        if (known.has(identity)) continue;
        const own = object.slice(object.indexOf('/') + 1);
        if (names.size < MAX_NAMES) names.add(own);
        metrics.increment('nav_total_rejected_configs', { type: 'gateway', name: names.has(own) ? own : OTHERS });
      }
      known = present;
    },
  };
}
