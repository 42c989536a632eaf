import { mergeServers, type RouterPorts } from '../../model/gateways/merge-servers.js';
import { createMemo } from '../../model/memo.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf } from '../../model/security/mutual-tls.js';
import type { GeneratorSettings } from '../settings.js';

/** The ports of a router, and their key. */
export interface RouterFacts extends RouterPorts {
  /** Equal keys have equal ports; empty for none. */
  readonly key: string;
}

const NONE: RouterFacts = { key: '', ports: [], conflicts: [] };

/** Finds the ports of a router, merged once for all routers with equal Gateways and services. */
export function createRouterFacts(
  settings: Pick<GeneratorSettings, 'scopeGatewayToNamespace'>,
): (context: PushContext, proxy: Proxy) => RouterFacts {
  const memo = createMemo<RouterFacts>();
  return (context, proxy) => {
    if (proxy.type !== 'router') return NONE;
    const selected = context.gateways.of({
      namespace: proxy.configNamespace,
      labels: labelsOf(context, proxy),
      onlyOwnNamespace: settings.scopeGatewayToNamespace,
    });
    if (selected.gateways.length === 0) return NONE;
    const targets = context.targetsOf(proxy);
    return memo.of([selected, targets], '', () => {
      const listening = targets.map(({ port, targetPort }) => [port.number, targetPort]);
      return { ...mergeServers(selected, targets), key: `${selected.key}|${JSON.stringify(listening)}` };
    });
  };
}
