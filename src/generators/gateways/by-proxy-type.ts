import type { ProxyType } from '../../model/proxy.js';
import type { NamedGenerator, Scope } from '../generator.js';

/** A scope of the generator for one type of proxy. */
export interface TypedScope extends Scope {
  readonly type: ProxyType;
  readonly scope: Scope;
}

type Generators = Readonly<Record<ProxyType, NamedGenerator<never>>>;

/** Joins two generators of one resource type: each serves one type of proxy. */
export function byProxyType<Of extends Scope, At extends Scope>(
  sidecar: NamedGenerator<Of>,
  router: NamedGenerator<At>,
): NamedGenerator<TypedScope> {
  const generators: Generators = { sidecar: sidecar as NamedGenerator<never>, router: router as NamedGenerator<never> };
  return {
    mode: 'named',
    typeUrl: sidecar.typeUrl,
    affectedBy: (request, proxyType, context) => generators[proxyType].affectedBy(request, proxyType, context),
    scope: (context, proxy) => {
      const { type } = proxy;
      const scope: Scope = generators[type].scope(context, proxy);
      return { key: `${type}|${scope.key}`, type, scope };
    },
    generate: (context, { type, scope }, name) => generators[type].generate(context, scope as never, name),
    *generateInSteps(context, { type, scope }, name) {
      const generator = generators[type];
      if (generator.generateInSteps === undefined) return generator.generate(context, scope as never, name);
      return yield* generator.generateInSteps(context, scope as never, name);
    },
    findings: (context, { type, scope }, name) => generators[type].findings?.(context, scope as never, name) ?? [],
  };
}
