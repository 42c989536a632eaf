import { isDeepStrictEqual } from 'node:util';
import { appendTo } from '../../../../base/append-to.js';
import { helpText, labelText } from './exposition-text.js';
import { type SeriesDefinition, SeriesTable } from './series-table.js';

/** The metrics of all handlers. */
export interface SeriesRegistry {
  /**
   * Opens the metrics of a handler. Metrics that the handler had in the same form go on; its other ones end.
   *
   * @param handler key of the handler
   * @throws Error for the name of a metric of this process
   */
  open(handler: string, definitions: readonly SeriesDefinition[]): OpenSeries;
  /** The text format of Prometheus, line by line. */
  lines(): Iterable<string>;
}

/** The metrics of one handler. */
export interface OpenSeries {
  /**
   * Records a number of a metric.
   *
   * @param metric its place in the definitions
   * @returns false for a new series beyond a limit
   */
  record(metric: number, labels: readonly string[], value: number): boolean;
  /** Removes series that have not changed since. */
  expire(sinceMs: number): void;
  /** Ends the metrics, unless a changed handler has opened them again. */
  close(): void;
}

export interface SeriesRegistryOptions {
  readonly nowMs: () => number;
  /** Whether a metric of this process has the name. */
  readonly isTaken: (name: string) => boolean;
  /** Called for each number that is not recorded because of a limit. */
  readonly onRefused: (handler: string) => void;
}

/** Lines of one handler, of the handlers of one namespace, and of all. A histogram has a line for each bucket and three more. */
const SERIES_LIMITS = { handler: 10_000, namespace: 20_000, all: 100_000 } as const;

/** Tells handlers apart, so that their series never meet. */
const HANDLER_LABEL = 'mesh_handler';

type Tables = readonly SeriesTable[];

export function createSeriesRegistry({ nowMs, isTaken, onRefused }: SeriesRegistryOptions): SeriesRegistry {
  const handlers = new Map<string, Tables>();

  /** Lines by what a limit is for. */
  const lines = {
    handler: new Map<string, number>(),
    namespace: new Map<string, number>(),
    all: new Map<string, number>(),
  };
  const counted = (handler: string) =>
    [
      ['handler', handler],
      ['namespace', handler.split('/')[1] ?? ''],
      ['all', ''],
    ] as const;
  const add = (handler: string, more: number): void => {
    for (const [limit, key] of counted(handler)) {
      const sum = (lines[limit].get(key) ?? 0) + more;
      if (sum === 0) lines[limit].delete(key);
      else lines[limit].set(key, sum);
    }
  };
  const hasRoom = (handler: string, more: number): boolean =>
    counted(handler).every(([limit, key]) => (lines[limit].get(key) ?? 0) + more <= SERIES_LIMITS[limit]);

  return {
    open: (handler, definitions) => {
      const taken = definitions.find(({ name }) => isTaken(name));
      if (taken !== undefined) throw new Error(`${taken.name} is a metric of the policy server: choose another name`);
      const known = handlers.get(handler) ?? [];
      const tables = definitions.map(
        (definition) =>
          known.find((table) => isDeepStrictEqual(table.definition, definition)) ??
          new SeriesTable(definition, labelText(HANDLER_LABEL, handler.slice(handler.indexOf('/') + 1))),
      );
      for (const table of known) if (!tables.includes(table)) add(handler, -table.lines);
      handlers.set(handler, tables);
      const isInForce = (): boolean => handlers.get(handler) === tables;
      return {
        record: (metric, labels, value) => {
          const table = tables[metric];
          // The last reports of a handler that was changed.
          if (table === undefined || handlers.get(handler)?.includes(table) !== true) return true;
          if (!table.has(labels)) {
            if (!hasRoom(handler, table.linesEach)) {
              onRefused(handler);
              return false;
            }
            add(handler, table.linesEach);
          }
          table.record(labels, value, nowMs());
          return true;
        },
        expire: (sinceMs) => {
          if (!isInForce()) return;
          for (const table of tables) {
            const before = table.lines;
            table.expire(sinceMs);
            add(handler, table.lines - before);
          }
        },
        close: () => {
          if (!isInForce()) return;
          handlers.delete(handler);
          for (const table of tables) add(handler, -table.lines);
        },
      };
    },
    *lines() {
      const byName = new Map<string, SeriesTable[]>();
      const sorted = [...handlers].sort(byFirst);
      for (const table of sorted.flatMap(([, tables]) => tables)) {
        // Lines about a metric without series are not counted, so there are none.
        if (table.lines === 0) continue;
        appendTo(byName, table.definition.name, table);
      }
      for (const [name, tables] of [...byName].sort(byFirst)) {
        const [first, ...others] = tables.map(({ definition }) => definition);
        if (first === undefined) continue;
        yield `# HELP ${name} ${helpText(first.help)}`;
        // Without a type, the series of handlers that disagree are still series.
        if (others.every(({ kind }) => kind === first.kind)) yield `# TYPE ${name} ${first.kind}`;
        for (const table of tables) yield* table.text();
      }
    },
  };
}

function byFirst([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number {
  return first < second ? -1 : 1;
}
