import { createMemo } from '../../model/memo.js';
import { bindingLabelKeys, type LabelSet } from '../../model/policy/label-conditions.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf } from '../../model/security/mutual-tls-of-proxy.js';
import type { PolicyFacts, PolicyFactsOf } from './proxy-facts.js';

/** The facts of a proxy, with those of its labels that bindings name. */
export type LabelledFactsOf = (context: Pick<PushContext, 'mesh' | 'objects'>, proxy: Proxy) => PolicyFacts | undefined;

/** Remembered for as long as the facts without labels; those themselves where no binding names a label of the proxy. */
export function createLabelledFacts(factsOf: PolicyFactsOf): LabelledFactsOf {
  const memo = createMemo<PolicyFacts>();
  return (context, proxy) => {
    const facts = factsOf(context.mesh, proxy);
    const keys = bindingLabelKeys(context);
    if (facts === undefined || keys.length === 0) return facts;
    const labels = pick(labelsOf(context, proxy), keys);
    const id = JSON.stringify(labels);
    if (id === '{}') return facts;
    return memo.of([facts], id, () => ({
      ...facts,
      identity: { ...facts.identity, labels },
      key: `${facts.key} ${id}`,
    }));
  };
}

function pick(labels: LabelSet, keys: readonly string[]): LabelSet {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(labels, key) ? [[key, labels[key] ?? '']] : [])));
}
