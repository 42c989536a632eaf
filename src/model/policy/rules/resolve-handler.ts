import { keyOf, type MeshObject } from '../../../config/object.js';
import type { AdapterSpec } from '../../../config/policy-rules/adapter.js';
import { COMPILED_ADAPTERS, takesTemplate } from '../../../config/policy-rules/catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from '../../../config/policy-rules/catalogue/compiled-templates.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import type { TemplateSpec } from '../../../config/policy-rules/template.js';
import { attributesOf } from './check-expressions.js';
import { type Resolution, resolveReference } from './resolve-reference.js';
import type { ResolvedAdapter, ResolvedHandler, ResolvedInstance, ResolvedTemplate } from './resolved-objects.js';
import type { RuleSource } from './rule-source.js';

type Unresolved = Exclude<Resolution, { readonly type: 'found' }>;

/** An object with its reference resolved, or why that is not possible. */
export type Resolved<Value> = Value | { readonly unresolved: Unresolved | 'unknown name' };

export function resolveHandler(object: MeshObject, source: RuleSource): Resolved<ResolvedHandler> {
  const spec = object.body as HandlerSpec;
  const adapter = adapterOf(object, spec, source);
  return 'unresolved' in adapter ? adapter : { key: keyOf(object), object, spec, adapter };
}

export function resolveInstance(object: MeshObject, source: RuleSource): Resolved<ResolvedInstance> {
  const spec = object.body as InstanceSpec;
  const template = templateOf(object, spec, source);
  if ('unresolved' in template) return template;
  return { key: keyOf(object), object, spec, template, attributes: attributesOf(source, object.metadata.namespace) };
}

function adapterOf(object: MeshObject, spec: HandlerSpec, source: RuleSource): Resolved<ResolvedAdapter> {
  if (spec.adapter === undefined) {
    const adapter = COMPILED_ADAPTERS.get(spec.compiledAdapter ?? '');
    return adapter === undefined ? { unresolved: 'unknown name' } : { type: 'compiled', adapter };
  }
  const resolution = resolveReference(source, object, 'adapter', spec.adapter);
  if (resolution.type !== 'found') return { unresolved: resolution };
  const own = resolution.object.body as AdapterSpec;
  const templates = own.templates.map(
    (written) => resolveReference(source, resolution.object, 'template', written).key,
  );
  return { type: 'own', key: resolution.key, spec: own, templates };
}

function templateOf(object: MeshObject, spec: InstanceSpec, source: RuleSource): Resolved<ResolvedTemplate> {
  if (spec.template === undefined) {
    const template = COMPILED_TEMPLATES.get(spec.compiledTemplate ?? '');
    return template === undefined ? { unresolved: 'unknown name' } : { type: 'compiled', template };
  }
  const resolution = resolveReference(source, object, 'template', spec.template);
  if (resolution.type !== 'found') return { unresolved: resolution };
  return { type: 'own', key: resolution.key, spec: resolution.object.body as TemplateSpec };
}

/** Whether the adapter of a handler takes the instance. Adapters of one's own may name built-in templates too. */
export function takesInstance({ adapter }: ResolvedHandler, { template }: ResolvedInstance): boolean {
  if (adapter.type === 'compiled') {
    return takesTemplate(adapter.adapter, template.type === 'compiled' ? template.template.name : '');
  }
  if (template.type === 'own') return adapter.templates.includes(template.key);
  return adapter.spec.templates.includes(template.template.name);
}

/** Names of adapter and template, as a message shows them. */
export function adapterName({ adapter }: ResolvedHandler): string {
  return adapter.type === 'compiled' ? adapter.adapter.name : adapter.key;
}

export function templateName({ template }: ResolvedInstance): string {
  return template.type === 'compiled' ? template.template.name : template.key;
}
