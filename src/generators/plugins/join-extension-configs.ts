import { TypeUrl } from '../../envoy/type-urls.js';
import type { NamedGenerator, Scope } from '../generator.js';

interface JoinedScope extends Scope {
  /** In the order of the generators. */
  readonly scopes: readonly Scope[];
}

/** One generator of all filter configurations (ECDS). Each generator has names of its own. */
export function joinExtensionConfigs(generators: readonly NamedGenerator[]): NamedGenerator<JoinedScope> {
  return {
    mode: 'named',
    typeUrl: TypeUrl.extensionConfig,
    affectedBy: (request, proxyType, context) =>
      generators.some((generator) => generator.affectedBy(request, proxyType, context)),
    scope: (context, proxy) => {
      const scopes = generators.map((generator) => generator.scope(context, proxy));
      return {
        key: scopes.length === 1 ? (scopes[0]?.key ?? '') : JSON.stringify(scopes.map(({ key }) => key)),
        scopes,
      };
    },
    generate: (context, { scopes }, name) => {
      for (const [index, generator] of generators.entries()) {
        const scope = scopes[index];
        const resource = scope && generator.generate(context, scope, name);
        if (resource !== undefined) return resource;
      }
      return undefined;
    },
  };
}
