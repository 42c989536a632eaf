import { type KindDefinition, meshKinds } from '../kind-definition.js';
import { checkRegex, createCheckMemo } from '../regex/check-regex.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../regex/regex-limits.js';
import {
  type HttpApiSpecBinding,
  httpApiSpecBindingSchema,
  type QuotaSpecBinding,
  quotaSpecBindingSchema,
  validatePolicyBinding,
} from './bindings.js';
import { type HttpApiSpec, httpApiSpecSchema } from './http-api-spec.js';
import { validateHttpApiSpec } from './http-api-spec-rules.js';
import { createObjectRegexes } from './object-regexes.js';
import { type QuotaSpec, quotaSpecSchema } from './quota-spec.js';
import { validateQuotaSpec } from './quota-spec-rules.js';

/** The policy kinds, of group `config.<mesh domain>` (docs/reference/errors.md#versions). */
export function createPolicyKinds(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
): readonly KindDefinition[] {
  const checkOne = createCheckMemo((text) => checkRegex(text, limits.expressionBytes));
  const regexes = () => createObjectRegexes(checkOne, limits);
  const shared = meshKinds('config', meshDomain, 'v1alpha2');
  const quotaSpec: KindDefinition<QuotaSpec> = {
    ...shared,
    kind: 'QuotaSpec',
    plural: 'quotaspecs',
    shortNames: ['qs'],
    schema: quotaSpecSchema,
    validate: (spec) => validateQuotaSpec(spec, regexes()),
  };
  const quotaSpecBinding: KindDefinition<QuotaSpecBinding> = {
    ...shared,
    kind: 'QuotaSpecBinding',
    plural: 'quotaspecbindings',
    shortNames: ['qsb'],
    schema: quotaSpecBindingSchema,
    validate: validatePolicyBinding,
  };
  const httpApiSpec: KindDefinition<HttpApiSpec> = {
    ...shared,
    kind: 'HTTPAPISpec',
    plural: 'httpapispecs',
    shortNames: ['has'],
    schema: httpApiSpecSchema,
    validate: (spec) => validateHttpApiSpec(spec, regexes()),
  };
  const httpApiSpecBinding: KindDefinition<HttpApiSpecBinding> = {
    ...shared,
    kind: 'HTTPAPISpecBinding',
    plural: 'httpapispecbindings',
    shortNames: ['hasb'],
    schema: httpApiSpecBindingSchema,
    validate: validatePolicyBinding,
  };
  return [httpApiSpec, httpApiSpecBinding, quotaSpec, quotaSpecBinding] as readonly KindDefinition[];
}
