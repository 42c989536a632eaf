import type { MeshObject } from '../../../config/object.js';
import type { AdapterSpec } from '../../../config/policy-rules/adapter.js';
import { COMPILED_ADAPTERS } from '../../../config/policy-rules/catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from '../../../config/policy-rules/catalogue/compiled-templates.js';
import { type AdapterConfig, readAdapterConfig } from '../../../config/policy-rules/descriptors/adapter-config.js';
import { DescriptorError } from '../../../config/policy-rules/descriptors/descriptor-error.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { Violation } from '../../../config/violation.js';
import { createMemo, memoize } from '../../memo.js';
import { isOfOperator } from '../../operator-object.js';
import { type Resolution, resolveReference } from './resolve-reference.js';
import type { ResolvedAdapter } from './resolved-objects.js';
import type { RuleSource } from './rule-source.js';

/** An adapter, or why a handler has none. */
export type AdapterResolution =
  | ResolvedAdapter
  | { readonly unresolved: Exclude<Resolution, { readonly type: 'found' }> | 'unknown name' | readonly Violation[] };

const encoded = createMemo<ReturnType<AdapterConfig['encode']>>();

/** The adapter of a handler, with the handler's parameters as the adapter reads them. */
export function resolveAdapter(object: MeshObject, source: RuleSource): AdapterResolution {
  const { adapter: written, compiledAdapter, params } = object.body as HandlerSpec;
  if (written === undefined) {
    const adapter = COMPILED_ADAPTERS.get(compiledAdapter ?? '');
    return adapter === undefined ? { unresolved: 'unknown name' } : { type: 'compiled', adapter };
  }
  const resolution = resolveReference(source, object, 'adapter', written);
  if (resolution.type !== 'found') return { unresolved: resolution };
  const own = resolution.object.body as AdapterSpec;
  const config = configOf(resolution.object);
  if (config === undefined) return { unresolved: 'unknown name' };
  const result = encoded.of([resolution.object, object], '', () => config.encode(params));
  if ('violations' in result) return { unresolved: result.violations };
  return {
    type: 'own',
    key: resolution.key,
    spec: own,
    templates: own.templates.map((each) => resolveReference(source, resolution.object, 'template', each).key),
    isSessionBased: own.sessionBased ?? false,
    isOfOperator: isOfOperator(object, source.bindingGrants.rootNamespace),
    ...(result.config && { config: result.config }),
  };
}

/** The templates of an adapter that are neither objects nor built in. */
export function missingTemplates(
  object: MeshObject,
  source: RuleSource,
): readonly { readonly index: number; readonly resolution: Exclude<Resolution, { readonly type: 'found' }> }[] {
  return (object.body as AdapterSpec).templates.flatMap((written, index) => {
    const resolution = resolveReference(source, object, 'template', written);
    if (resolution.type === 'found') return [];
    return resolution.type === 'missing' && COMPILED_TEMPLATES.has(written) ? [] : [{ index, resolution }];
  });
}

/** Undefined for a descriptor that validation rejects. */
const configOf = memoize(({ body }: MeshObject): AdapterConfig | undefined => {
  try {
    return readAdapterConfig((body as AdapterSpec).config);
  } catch (error) {
    if (error instanceof DescriptorError) return undefined;
    throw error;
  }
});
