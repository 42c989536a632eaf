import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { createPatchRegistry } from '../../envoy/messages/patch-registry.js';
import type { Finding } from '../../model/finding.js';
import type { PushContext } from '../../model/push-context.js';
import type { NamedGenerator, ResourceGenerator, Scope, WildcardGenerator } from '../generator.js';
import { createPatchSelection, type PatchSelection } from './patch-selection.js';
import { createPatchTools } from './patch-tools.js';
import { patchedParts } from './patched-parts.js';
import { createResourceMemo, PatchedScope, type ResourceMemo } from './patched-scope.js';
import { createResourcePatcher } from './resource-patcher.js';

/** Wraps the generators of the types that EnvoyFilters can change. Types that they cannot change are returned as they are. */
export function createPatchedGenerators(generators: readonly ResourceGenerator[]): readonly ResourceGenerator[] {
  const tools = createPatchTools(createPatchRegistry());
  const selection = createPatchSelection();
  return generators.map((generator) => {
    const patcher = createResourcePatcher(tools, generator.typeUrl);
    if (patcher === undefined || generator.mode === 'grouped') return generator;
    const memo = createResourceMemo(patcher);
    return generator.mode === 'wildcard'
      ? patchedWildcard(generator, selection, memo)
      : patchedNamed(generator, selection, memo);
  });
}

function patchedWildcard(
  generator: WildcardGenerator,
  selection: PatchSelection,
  memo: ResourceMemo,
): WildcardGenerator {
  return { ...generator, parts: patchedParts(generator, selection, memo) };
}

const NO_FINDINGS: readonly Finding[] = [];

function patchedNamed(generator: NamedGenerator, selection: PatchSelection, memo: ResourceMemo): NamedGenerator {
  const { hostOf, generateInSteps } = generator;
  const patched = (scope: PatchedScope, resource: EncodedResource) => memo.patch(resource, scope.selected);
  return {
    ...generator,
    ...(hostOf === undefined ? {} : { hostOf: (name: string) => hostOf(name) }),
    scope: (context, proxy): Scope => {
      const base = generator.scope(context, proxy);
      const selected = selection.of(context, proxy, generator.typeUrl);
      return selected === undefined ? base : new PatchedScope(base, selected);
    },
    generate: (context, scope, name) => {
      if (!(scope instanceof PatchedScope)) return generator.generate(context, scope, name);
      const resource = generator.generate(context, scope.base, name);
      return resource === undefined ? undefined : patched(scope, resource).resource;
    },
    ...(generateInSteps === undefined
      ? {}
      : {
          *generateInSteps(context: PushContext, scope: Scope, name: string) {
            const base = scope instanceof PatchedScope ? scope.base : scope;
            const resource = yield* generateInSteps(context, base, name);
            return resource !== undefined && scope instanceof PatchedScope
              ? patched(scope, resource).resource
              : resource;
          },
        }),
    findings: (context, scope, name) => {
      if (!(scope instanceof PatchedScope)) return generator.findings?.(context, scope, name) ?? NO_FINDINGS;
      const resource = generator.generate(context, scope.base, name);
      const own = generator.findings?.(context, scope.base, name) ?? NO_FINDINGS;
      return resource === undefined ? own : [...own, ...patched(scope, resource).findings];
    },
  };
}
