import { inOneStep, type Steps, stepOf } from '../../base/steps.js';
import type { ObjectKey } from '../../config/object.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import { createMemo, memoize } from '../../model/memo.js';
import { MAX_WORKLOAD_PATCH_BYTES, type Patch } from '../../model/patches/envoy-patches.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Generated, ResourcePart, Scope, WildcardGenerator } from '../generator.js';
import { clustersInPatches } from './named-clusters.js';
import type { PatchSelection, SelectedPatches } from './patch-selection.js';
import { PatchedScope, type ResourceMemo } from './patched-scope.js';
import { type Patched, skipped } from './resource-patcher.js';

/** The applyTo whose ADD makes a resource of a type. */
const ADDED: Readonly<Record<string, string | undefined>> = {
  [TypeUrl.cluster]: 'CLUSTER',
  [TypeUrl.listener]: 'LISTENER',
};

/** The parts of a generator with the patches of each proxy, and a part with the resources that patches add. */
export function patchedParts(
  { typeUrl, parts }: WildcardGenerator,
  selection: PatchSelection,
  memo: ResourceMemo,
): readonly ResourcePart[] {
  const patched = parts.map((part) => patchedPart(part, typeUrl, selection, memo));
  return [...patched, addedPart(patched, typeUrl, selection, memo)];
}

/**
 * The most that EnvoyFilters of one namespace may add to the resources of one part together: a small patch may match
 * thousands of them. Patches of the root namespace are the operator's.
 */
const MAX_PART_ADDED_BYTES = 16 * 1024 * 1024;

function patchedPart(part: ResourcePart, typeUrl: string, selection: PatchSelection, memo: ResourceMemo): ResourcePart {
  const operatorPatches = createMemo<SelectedPatches['patches']>();

  const patchAll = function* (
    resources: readonly EncodedResource[],
    selected: SelectedPatches,
    rootNamespace: string,
  ): Steps<readonly Patched[]> {
    const { patches, placeKey } = selected;
    const isOperators = ({ object }: Patch): boolean => object.startsWith(`EnvoyFilter/${rootNamespace}/`);
    let added = 0;
    const patchOne = (resource: EncodedResource): Patched => {
      if (added < MAX_PART_ADDED_BYTES) {
        const patched = memo.patch(resource, selected);
        added += Math.max(0, (patched.resource?.entry.length ?? 0) - resource.entry.length);
        return patched;
      }
      const kept = operatorPatches.of([patches], rootNamespace, () => patches.filter(isOperators));
      const { resource: patched, findings } = memo.patch(resource, {
        ...selected,
        patches: kept,
        placeKey: `${placeKey}|kept`,
      });
      const others = patches.filter((patch) => !isOperators(patch));
      return {
        resource: patched,
        findings: [...findings, ...others.map((patch) => skipped(patch, resource.name, TOO_MUCH_ADDED))],
      };
    };
    const results: Patched[] = [];
    for (const resource of resources) {
      results.push(patchOne(resource));
      if (results.length % PATCHED_AT_ONCE === 0) yield;
    }
    return results;
  };

  const generateBase = (context: PushContext, scope: Scope): Steps<Generated> =>
    part.generateInSteps?.(context, scope) ?? stepOf(() => part.generate(context, scope));

  const generateInSteps = function* (context: PushContext, scope: Scope): Steps<Generated> {
    if (!(scope instanceof PatchedScope)) return yield* generateBase(context, scope);
    const { resources, findings } = yield* generateBase(context, scope.base);
    const results = yield* patchAll(resources, scope.selected, context.mesh.rootNamespace);
    return {
      resources: results.flatMap(({ resource }) => resource ?? []),
      findings: [
        ...findings,
        ...distinct(results.flatMap((result) => result.findings)),
        ...scope.selected.omitted.map(leftOut),
      ],
    };
  };

  const { neededNames } = part;
  const calledBy = memoize(clustersInPatches);
  return {
    name: part.name,
    ...(neededNames === undefined
      ? {}
      : {
          neededNames: (context, proxy) => {
            const needed = neededNames(context, proxy);
            if (needed === undefined) return undefined;
            const called = calledBy(selection.ofAllTypes(context, proxy));
            return called.length === 0 ? needed : [...new Set([...needed, ...called])].sort();
          },
        }),
    scope: (context, proxy) => {
      const base = part.scope(context, proxy);
      const selected = base && selection.of(context, proxy, typeUrl);
      return base === undefined || selected === undefined ? base : new PatchedScope(base, selected);
    },
    generate: (context, scope) => inOneStep(generateInSteps(context, scope)),
    generateInSteps,
  };
}

/** Resources that are patched in one step. */
const PATCHED_AT_ONCE = 16;

const TOO_MUCH_ADDED = `the patches of the namespace add more than ${MAX_PART_ADDED_BYTES} bytes to the resources of a proxy before it`;

/** The scopes of all parts of a proxy: a proxy must get no name twice. */
class AddedScope implements Scope {
  readonly key: string;
  readonly scopes: readonly (Scope | undefined)[];
  readonly selected: SelectedPatches;

  constructor(scopes: readonly (Scope | undefined)[], selected: SelectedPatches) {
    this.key = [selected.key, ...scopes.map((scope) => scope?.key ?? '')].join('\n');
    this.scopes = scopes;
    this.selected = selected;
  }
}

function addedPart(
  parts: readonly ResourcePart[],
  typeUrl: string,
  selection: PatchSelection,
  memo: ResourceMemo,
): ResourcePart {
  const names = createMemo<ReadonlySet<string>>();
  const namesOf = (context: PushContext, part: ResourcePart, scope: Scope): ReadonlySet<string> =>
    names.of([context], `${part.name}\n${scope.key}`, () => {
      return new Set(part.generate(context, scope).resources.map(({ name }) => name));
    });

  return {
    name: 'added by patches',
    scope: (context: PushContext, proxy: Proxy) => {
      const selected = selection.of(context, proxy, typeUrl);
      if (selected === undefined || !selected.patches.some((patch) => isAdded(patch, typeUrl))) return undefined;
      return new AddedScope(
        parts.map((part) => part.scope(context, proxy)),
        selected,
      );
    },
    generate: (context, scope): Generated => {
      if (!(scope instanceof AddedScope)) return { resources: [], findings: [] };
      const { patches } = scope.selected;
      const resources = new Map<string, EncodedResource>();
      const findings: Finding[] = [];
      for (const [index, patch] of patches.entries()) {
        if (!isAdded(patch, typeUrl)) continue;
        const { resource, findings: found } = memo.add(patch, patches.slice(index + 1), scope.selected);
        findings.push(...found);
        if (resource === undefined) continue;
        const isTaken =
          resources.has(resource.name) ||
          parts.some((part, at) => {
            const of = scope.scopes[at];
            return of !== undefined && namesOf(context, part, of).has(resource.name);
          });
        if (isTaken) findings.push(skipped(patch, resource.name, 'the proxy has a resource of this name already'));
        else resources.set(resource.name, resource);
      }
      return { resources: [...resources.values()], findings: distinct(findings) };
    },
  };
}

function isAdded({ applyTo, patch }: SelectedPatches['patches'][number], typeUrl: string): boolean {
  return patch.operation === 'ADD' && applyTo === ADDED[typeUrl];
}

/** An EnvoyFilter beyond the limit of one proxy. */
function leftOut(object: ObjectKey): Finding {
  return {
    metric: 'nav_envoy_filter_patches_skipped',
    key: object,
    message: `the EnvoyFilter is not applied: the EnvoyFilters before it take most of the ${MAX_WORKLOAD_PATCH_BYTES} bytes of one proxy`,
    object,
  };
}

/** One finding for each patch: a patch may be skipped for a thousand resources. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.key, finding])).values()];
}
