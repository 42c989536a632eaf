import { setTimeout as delay } from 'node:timers/promises';
import { sliceEndpoint, slicePath } from './cluster-objects.js';
import type { ClusterService } from './cluster-shape.js';
import type { SendToCluster } from './fill-cluster.js';
import { markedAddress } from './marked-address.js';

export interface ChurnOptions {
  readonly send: SendToCluster;
  /** Their slices are changed in turn. */
  readonly services: readonly ClusterService[];
  readonly perSecond: number;
  readonly changes: number;
  readonly nowMs: () => number;
}

/** Writes by the number of the change. */
export interface ChurnWrites {
  /** When the request was sent. */
  readonly sentAtMs: Float64Array;
  /** When the API server's answer was there; NaN when it refused. */
  readonly answeredAtMs: Float64Array;
}

/**
 * Gives the last endpoint of one slice after the other a marked address, on a schedule that does not wait for answers:
 * an API server that is slow for a moment gets the writes of that moment all the same.
 */
export async function runChurn({ send, services, perSecond, changes, nowMs }: ChurnOptions): Promise<ChurnWrites> {
  const sentAtMs = new Float64Array(changes).fill(Number.NaN);
  const answeredAtMs = new Float64Array(changes).fill(Number.NaN);
  const write = async (change: number): Promise<void> => {
    const service = services[change % services.length];
    if (service === undefined) throw new RangeError('A churn needs services.');
    sentAtMs[change] = nowMs();
    const { status } = await send('PATCH', slicePath(service), patchOf(service, change), 'application/json-patch+json');
    if (status < 300) answeredAtMs[change] = nowMs();
  };
  const startMs = nowMs();
  const pending: Promise<void>[] = [];
  for (let change = 0; change < changes; change++) {
    const waitMs = startMs + (change * 1000) / perSecond - nowMs();
    if (waitMs > 0) await delay(waitMs);
    // A connection that breaks is an answer that never came.
    pending.push(write(change).catch(() => undefined));
  }
  await Promise.all(pending);
  return { sentAtMs, answeredAtMs };
}

function patchOf({ pods }: ClusterService, change: number): object {
  const last = pods.length - 1;
  const value = sliceEndpoint(markedAddress(change), pods[last]?.node ?? '');
  return [{ op: 'replace', path: `/endpoints/${last}`, value }];
}
