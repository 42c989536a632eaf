import type { MeshObject } from '../../../config/object.js';
import { COMPILED_TEMPLATES } from '../../../config/policy-rules/catalogue/compiled-templates.js';
import type { TemplateFields } from '../../../config/policy-rules/catalogue/template-fields.js';
import { DescriptorError } from '../../../config/policy-rules/descriptors/descriptor-error.js';
import { readDescriptorSet } from '../../../config/policy-rules/descriptors/read-descriptor-set.js';
import { readTemplate } from '../../../config/policy-rules/descriptors/read-template.js';
import { templateFieldsOf } from '../../../config/policy-rules/descriptors/template-fields-of.js';
import type { TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import type { TemplateSpec } from '../../../config/policy-rules/template.js';
import { memoize } from '../../memo.js';
import { type Resolution, resolveReference } from './resolve-reference.js';
import type { ResolvedTemplate } from './resolved-objects.js';
import type { RuleSource } from './rule-source.js';

/** A template, or why an instance has none. */
export type TemplateResolution =
  | ResolvedTemplate
  | { readonly unresolved: Exclude<Resolution, { readonly type: 'found' }> | 'unknown name' };

/** The template of an instance. `template` may name a built-in one too, unless there is an object of that name. */
export function resolveTemplate(object: MeshObject, source: RuleSource): TemplateResolution {
  const { compiledTemplate, template } = object.body as InstanceSpec;
  const unknown = { unresolved: 'unknown name' } as const;
  if (template === undefined) return compiled(compiledTemplate) ?? unknown;
  const resolution = resolveReference(source, object, 'template', template);
  if (resolution.type === 'missing') return compiled(template) ?? { unresolved: resolution };
  if (resolution.type !== 'found') return { unresolved: resolution };
  const read = readOwn(resolution.object);
  if (read === undefined) return unknown;
  return { type: 'own', key: resolution.key, object: resolution.object, ...read };
}

function compiled(name: string | undefined): ResolvedTemplate | undefined {
  const template = COMPILED_TEMPLATES.get(name ?? '');
  return template && { type: 'compiled', template };
}

interface OwnTemplate {
  readonly wire: TemplateWire;
  readonly fields: TemplateFields;
}

/** Undefined for a descriptor that validation rejects. */
const readOwn = memoize(({ body }: MeshObject): OwnTemplate | undefined => {
  try {
    const wire = readTemplate(readDescriptorSet((body as TemplateSpec).descriptor));
    return { wire, fields: templateFieldsOf(wire.fields) };
  } catch (error) {
    if (error instanceof DescriptorError) return undefined;
    throw error;
  }
});
