import { inOneStep, type Steps, stepOf } from '../../base/steps.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { askedNameOf, hostOfVirtualHost, tableOfVirtualHost } from '../../envoy/virtual-host-names.js';
import { isOnDemand } from '../../model/on-demand.js';
import type { PushContext } from '../../model/push-context.js';
import type { GroupedGenerator, NamedGenerator, Scope } from '../generator.js';
import { parseRouteName } from '../routes/route-table.js';
import type { GeneratorSettings } from '../settings.js';
import { createTableSplitter, type SplitTable } from './split-table.js';

/** The scope of the route tables of a proxy that takes virtual hosts one by one. */
class SplitScope implements Scope {
  readonly key: string;
  readonly base: Scope;
  /** Whether the proxy gets virtual hosts when its workload calls them, and none before. */
  readonly onDemand: boolean;

  constructor(base: Scope, onDemand: boolean) {
    this.key = `split${onDemand ? ' on demand' : ''}\n${base.key}`;
    this.base = base;
    this.onDemand = onDemand;
  }
}

/** Generators of route tables and of their virtual hosts. */
export interface SplitRoutes {
  readonly tables: NamedGenerator;
  /** Its groups are the names of tables, and for proxies on demand each virtual host that they asked for (`askedGroup`). */
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
    return proxy.takesVirtualHosts === true ? new SplitScope(base, isOnDemand(context, proxy)) : base;
  };
  const baseOf = (scope: Scope): Scope => (scope instanceof SplitScope ? scope.base : scope);
  const tableInSteps = (context: PushContext, scope: Scope, name: string): Steps<EncodedResource | undefined> =>
    routes.generateInSteps?.(context, scope, name) ?? stepOf(() => routes.generate(context, scope, name));
  const groupInSteps = function* (
    context: PushContext,
    scope: Scope,
    group: string,
  ): Steps<readonly EncodedResource[]> {
    if (!(scope instanceof SplitScope)) return [];
    const asked = askedNameOf(group);
    const name = asked === undefined ? group : tableOfVirtualHost(asked);
    const table = isSplit(name) ? yield* tableInSteps(context, scope.base, name) : undefined;
    if (table === undefined) return [];
    const { hosts, none, hostFor } = split(table);
    if (asked !== undefined) return [answerTo(asked, hostFor)];
    return scope.onDemand ? [none] : yield* hosts();
  };

  return {
    tables: {
      ...routes,
      scope: scopeOf,
      generate: (context, scope, name) => {
        const table = routes.generate(context, baseOf(scope), name);
        return table !== undefined && scope instanceof SplitScope && isSplit(name) ? split(table).head : table;
      },
      *generateInSteps(context, scope, name) {
        const table = yield* tableInSteps(context, baseOf(scope), name);
        return table !== undefined && scope instanceof SplitScope && isSplit(name) ? split(table).head : table;
      },
      findings: (context, scope, name) => routes.findings?.(context, baseOf(scope), name) ?? [],
    },
    virtualHosts: {
      mode: 'grouped',
      typeUrl: TypeUrl.virtualHost,
      affectedBy: routes.affectedBy,
      scope: scopeOf,
      generate: (context, scope, group) => inOneStep(groupInSteps(context, scope, group)),
      generateInSteps: groupInSteps,
    },
  };
}

/**
 * The answer to a request for a virtual host, which ends the wait of the request that caused it. Domains are in lower case,
 * so a virtual host has a name in lower case, and another spelling is answered without a body: the host in lower case is
 * asked for beside it. No virtual host takes other hosts than the one asked for.
 */
function answerTo(asked: string, hostFor: SplitTable['hostFor']): EncodedResource {
  const host = hostOfVirtualHost(asked);
  const isHost = host !== '' && !host.includes('*') && host === host.toLowerCase();
  return (
    (isHost ? hostFor(host) : undefined) ?? {
      name: asked,
      version: NO_BODY,
      entry: Buffer.alloc(0),
      aliases: [asked],
    }
  );
}

/** Version of a resource without a body. */
const NO_BODY = 'none';

/** The table of one port of a service has one virtual host: nothing is saved by a resource of its own. */
function isSplit(table: string): boolean {
  return parseRouteName(table)?.type !== 'service';
}
