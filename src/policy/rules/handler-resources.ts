import { addCount } from '../../base/key-counts.js';
import type { RuleMetrics } from './rule-metrics.js';

/** What a handler keeps or does in the background, counted in policy_handler_daemons_total and policy_handler_workers_total. */
export interface HandlerResources {
  /** Counts a timer, a connection or another thing that is kept. Returns the function that ends it, once. */
  daemon(): () => void;
  /**
   * Counts a connection to a server that the parameters name. Returns the function that ends it, once.
   *
   * @throws Error when too many handlers of its namespace have connections
   */
  connection(): () => void;
  /** Counts a call that is under way. Returns the function that ends it, once. */
  worker(): () => void;
}

export interface ResourceCounts {
  /** For one generation of a handler, until `release`. */
  open(handler: string): HandlerResources & { release(): void };
}

interface Counted {
  daemons: number;
  workers: number;
  connections: number;
  /** A changed handler and the former one, whose last calls end. */
  generations: number;
}

/**
 * Counts by handler, together for the generations of one that changes.
 *
 * @param maxConnected handlers of one namespace that may have connections at the same time
 */
export function createResourceCounts(
  metrics: Pick<RuleMetrics, 'daemons' | 'workers' | 'forget'>,
  maxConnected: number,
): ResourceCounts {
  const counts = new Map<string, Counted>();
  /** Handlers with connections, by namespace. */
  const connected = new Map<string, number>();
  const addConnections = (handler: string, count: Counted, more: 1 | -1): void => {
    const namespace = namespaceOf(handler);
    const others = connected.get(namespace) ?? 0;
    if (more === 1 && count.connections === 0 && others >= maxConnected) {
      throw new Error(
        `${maxConnected} handlers of namespace ${namespace} have connections already: remove some that are not needed`,
      );
    }
    const had = count.connections > 0;
    count.connections += more;
    const has = count.connections > 0;
    if (had !== has) addCount(connected, namespace, more);
  };
  return {
    open: (handler) => {
      const count = counts.get(handler) ?? { daemons: 0, workers: 0, connections: 0, generations: 0 };
      counts.set(handler, count);
      count.generations++;
      const add = (field: 'daemons' | 'workers', by: 1 | -1): void => {
        count[field] += by;
        if (counts.get(handler) === count) metrics[field](handler, count[field]);
      };
      const begin = (field: 'daemons' | 'workers') => (): (() => void) => {
        add(field, 1);
        let hasEnded = false;
        return () => {
          if (!hasEnded) add(field, -1);
          hasEnded = true;
        };
      };
      return {
        daemon: begin('daemons'),
        worker: begin('workers'),
        connection: () => {
          addConnections(handler, count, 1);
          const end = begin('daemons')();
          let hasEnded = false;
          return () => {
            if (!hasEnded) addConnections(handler, count, -1);
            hasEnded = true;
            end();
          };
        },
        release: () => {
          count.generations--;
          if (count.generations > 0) return;
          counts.delete(handler);
          metrics.forget(handler);
        },
      };
    },
  };
}

/** Of `handler/<namespace>/<name>`. */
function namespaceOf(handler: string): string {
  return handler.split('/')[1] ?? '';
}
