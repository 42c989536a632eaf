import type { KindDefinition } from '../kind-definition.js';
import { type AdapterSpec, adapterSchema } from './adapter.js';
import { reduceAdapter, validateAdapter } from './adapter-rules.js';
import { type AttributeManifestSpec, attributeManifestSchema } from './attribute-manifest.js';
import { validateAttributeManifest } from './attribute-manifest-rules.js';
import { descriptorViolations } from './descriptor-rules.js';
import { type HandlerSpec, handlerSchema } from './handler.js';
import { validateHandler } from './handler-rules.js';
import { type InstanceSpec, instanceSchema } from './instance.js';
import { type RuleSpec, ruleSchema } from './rule.js';
import { validateRule } from './rule-rules.js';
import { type TemplateSpec, templateSchema } from './template.js';

/** The kinds of the policy runtime, of group `config.<mesh domain>` (docs/policy-rules.md). Their names are lower-case. */
export function createRuleKinds(meshDomain: string): readonly KindDefinition[] {
  const shared = {
    group: `config.${meshDomain}`,
    versions: ['v1alpha2'],
    namespaced: true,
    bodyAt: 'spec',
    unknownFields: 'refused',
  } as const;
  const attributeManifest: KindDefinition<AttributeManifestSpec> = {
    ...shared,
    kind: 'attributemanifest',
    plural: 'attributemanifests',
    schema: attributeManifestSchema,
    validate: validateAttributeManifest,
  };
  const handler: KindDefinition<HandlerSpec> = {
    ...shared,
    kind: 'handler',
    plural: 'handlers',
    schema: handlerSchema,
    validate: validateHandler,
  };
  const instance: KindDefinition<InstanceSpec> = {
    ...shared,
    kind: 'instance',
    plural: 'instances',
    schema: instanceSchema,
    validate: () => [],
  };
  const rule: KindDefinition<RuleSpec> = {
    ...shared,
    kind: 'rule',
    plural: 'rules',
    schema: ruleSchema,
    validate: validateRule,
  };
  const adapter: KindDefinition<AdapterSpec> = {
    ...shared,
    kind: 'adapter',
    plural: 'adapters',
    schema: adapterSchema,
    validate: validateAdapter,
    reduce: reduceAdapter,
  };
  const template: KindDefinition<TemplateSpec> = {
    ...shared,
    kind: 'template',
    plural: 'templates',
    schema: templateSchema,
    validate: ({ descriptor }) => [...descriptorViolations('descriptor', descriptor)],
  };
  return [attributeManifest, handler, instance, rule, adapter, template] as readonly KindDefinition[];
}
