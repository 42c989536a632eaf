import type { ExpressionLanguage } from '../../expressions/expression-types.js';
import { type KindDefinition, meshKinds } from '../kind-definition.js';
import { createObjectRegexes } from '../policy/object-regexes.js';
import { checkRegex, createCheckMemo } from '../regex/check-regex.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../regex/regex-limits.js';
import { createSchemaCompiler } from '../schema/schema-reader.js';
import { type AdapterSpec, adapterSchema } from './adapter.js';
import { reduceAdapter, validateAdapter } from './adapter-rules.js';
import { type AttributeManifestSpec, attributeManifestSchema } from './attribute-manifest.js';
import { validateAttributeManifest } from './attribute-manifest-rules.js';
import { attributeTypes } from './attribute-types.js';
import { type HandlerSpec, handlerSchema } from './handler.js';
import { createHandlerRules } from './handler-rules.js';
import { type InstanceSpec, instanceSchema } from './instance.js';
import { validateInstance } from './instance-rules.js';
import { type RuleSpec, ruleSchema } from './rule.js';
import { validateRule } from './rule-rules.js';
import { type TemplateSpec, templateSchema } from './template.js';
import { validateTemplate } from './template-rules.js';

/**
 * The kinds of the policy runtime, of group `config.<mesh domain>` (docs/policy-rules.md). Their names are lower-case.
 *
 * @param language of all expressions
 */
export function createRuleKinds(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
  language: ExpressionLanguage = 'legacy',
): readonly KindDefinition[] {
  const checkOne = createCheckMemo((text) => checkRegex(text, limits.expressionBytes));
  const handlerRules = createHandlerRules(createSchemaCompiler(), () => createObjectRegexes(checkOne, limits));
  const attributes = attributeTypes();
  const shared = meshKinds('config', meshDomain, 'v1alpha2');
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
    validate: handlerRules.validate,
    reduce: handlerRules.reduce,
  };
  const instance: KindDefinition<InstanceSpec> = {
    ...shared,
    kind: 'instance',
    plural: 'instances',
    schema: instanceSchema,
    validate: (spec) => validateInstance(spec, attributes, language),
  };
  const rule: KindDefinition<RuleSpec> = {
    ...shared,
    kind: 'rule',
    plural: 'rules',
    schema: ruleSchema,
    validate: (spec) => validateRule(spec, attributes, language),
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
    validate: validateTemplate,
  };
  return [attributeManifest, handler, instance, rule, adapter, template] as readonly KindDefinition[];
}
