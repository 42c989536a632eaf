import { keyOf, type MeshObject } from '../../../config/object.js';
import { firstViolations } from '../../../config/policy/limits.js';
import { takesTemplate } from '../../../config/policy-rules/catalogue/compiled-adapters.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import { templateFields } from '../../../config/policy-rules/instance-fields.js';
import type { Violation } from '../../../config/violation.js';
import { authorizationOf } from './authorization-of.js';
import { attributesOf } from './check-expressions.js';
import { resolveAdapter } from './resolve-adapter.js';
import type { Resolution } from './resolve-reference.js';
import { resolveTemplate } from './resolve-template.js';
import type { ResolvedHandler, ResolvedInstance, ResolvedTemplate } from './resolved-objects.js';
import type { RuleSource } from './rule-source.js';

/** An object with its reference resolved, or why that is not possible: `Violation`s if it does not fit what it names. */
export type Resolved<Value> =
  | Value
  | {
      readonly unresolved: Exclude<Resolution, { readonly type: 'found' }> | 'unknown name' | readonly Violation[];
    };

export function resolveHandler(object: MeshObject, source: RuleSource): Resolved<ResolvedHandler> {
  const spec = object.body as HandlerSpec;
  const adapter = resolveAdapter(object, source);
  if ('unresolved' in adapter) return adapter;
  const authorization = authorizationOf(object, source);
  return { key: keyOf(object), object, spec, adapter, ...(authorization && { authorization }) };
}

export function resolveInstance(object: MeshObject, source: RuleSource): Resolved<ResolvedInstance> {
  const spec = object.body as InstanceSpec;
  const template = resolveTemplate(object, source);
  if ('unresolved' in template) return template;
  const mistakes = fieldMistakes(object, template);
  if (mistakes.length > 0) return { unresolved: mistakes };
  return { key: keyOf(object), object, spec, template, attributes: attributesOf(source, object.metadata.namespace) };
}

/** What is wrong with the form of the fields of an instance. That of built-in templates is validated. */
function fieldMistakes(object: MeshObject, template: ResolvedTemplate): readonly Violation[] {
  if (template.type === 'compiled') return [];
  const { params } = object.body as InstanceSpec;
  return firstViolations(
    (function* () {
      for (const found of templateFields(template.wire.name, template.fields, params)) {
        if (found.type === 'mistake') yield found.violation;
      }
    })(),
  );
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
