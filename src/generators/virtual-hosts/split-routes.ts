import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { GroupedGenerator, NamedGenerator, Scope } from '../generator.js';
import { parseRouteName } from '../routes/route-table.js';
import type { GeneratorSettings } from '../settings.js';
import { createTableSplitter } from './split-table.js';

/** The scope of the route tables of a proxy that takes virtual hosts one by one. */
class SplitScope implements Scope {
  readonly key: string;
  readonly base: Scope;

  constructor(base: Scope) {
    this.key = `split\n${base.key}`;
    this.base = base;
  }
}

/** Generators of route tables and of their virtual hosts. */
export interface SplitRoutes {
  readonly tables: NamedGenerator;
  /** Its groups are the names of tables. */
  readonly virtualHosts: GroupedGenerator;
}

/**
 * Splits the tables of proxies that take virtual hosts one by one. Other proxies get whole tables.
 *
 * @param routes makes whole tables, with all patches
 */
export function splitRoutes(
  routes: NamedGenerator,
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
): SplitRoutes {
  const split = createTableSplitter(encoder, settings.initialFetchTimeoutMs);
  const scopeOf: NamedGenerator['scope'] = (context, proxy) => {
    const base = routes.scope(context, proxy);
    return proxy.takesVirtualHosts === true ? new SplitScope(base) : base;
  };
  const baseOf = (scope: Scope): Scope => (scope instanceof SplitScope ? scope.base : scope);
  return {
    tables: {
      ...routes,
      scope: scopeOf,
      generate: (context, scope, name) => {
        const table = routes.generate(context, baseOf(scope), name);
        return table !== undefined && scope instanceof SplitScope && isSplit(name) ? split(table).head : table;
      },
      findings: (context, scope, name) => routes.findings?.(context, baseOf(scope), name) ?? [],
    },
    virtualHosts: {
      mode: 'grouped',
      typeUrl: TypeUrl.virtualHost,
      affectedBy: routes.affectedBy,
      scope: scopeOf,
      generate: (context, scope, name) => {
        if (!(scope instanceof SplitScope) || !isSplit(name)) return [];
        const table = routes.generate(context, scope.base, name);
        return table === undefined ? [] : split(table).hosts;
      },
    },
  };
}

/** The table of one port of a service has one virtual host: nothing is saved by a resource of its own. */
function isSplit(table: string): boolean {
  return parseRouteName(table)?.type !== 'service';
}
