import { type ServiceConfig, serviceConfigSchema } from '../../../config/policy/client-config.js';
import { validateServiceConfig } from '../../../config/policy/client-config-rules.js';
import { validateHttpApiSpec } from '../../../config/policy/http-api-spec-rules.js';
import { createObjectRegexes, type ObjectRegexes } from '../../../config/policy/object-regexes.js';
import { validateQuotaSpec } from '../../../config/policy/quota-spec-rules.js';
import { checkRegex, createCheckMemo } from '../../../config/regex/check-regex.js';
import { createSchemaCompiler } from '../../../config/schema/schema-reader.js';
import { childPath, formatFinding, joinPath, type Violation } from '../../../config/violation.js';
import type { ConfigDecoder } from '../../wire/config-decoder.js';

/** Reads one resource of type ServiceConfig. @throws Error with the problem */
export type ServiceConfigReader = (bytes: Buffer) => ServiceConfig;

/**
 * Reads ServiceConfigs and checks them like YAML: the schema, and the rules of every spec. Specs are checked one by one,
 * as they were when they were written: a service may have more of them together than one object may hold.
 *
 * @param maxRegexBytes `expressionBytes` of the limits
 */
export function createServiceConfigReader(
  decoder: Pick<ConfigDecoder, 'serviceConfig'>,
  maxRegexBytes?: number,
): ServiceConfigReader {
  const check = createCheckMemo((text) => checkRegex(text, maxRegexBytes));
  // The server bounds the number of expressions of a service: it leaves out those above its budget.
  const regexes = () => createObjectRegexes(check, { objectBytes: Number.POSITIVE_INFINITY });
  const schema = createSchemaCompiler().compile(serviceConfigSchema, 'ignored');
  return (bytes) => {
    const read = schema.read(decoder.serviceConfig(bytes));
    const violations = read.type === 'valid' ? serviceViolations(read.value, regexes) : read.violations;
    const [first] = violations;
    if (first === undefined && read.type === 'valid') return read.value;
    const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
    throw new Error(`${first === undefined ? 'is not valid' : formatFinding(first)}${others}`);
  };
}

function serviceViolations(config: ServiceConfig, regexes: () => ObjectRegexes): readonly Violation[] {
  return [
    ...validateServiceConfig({ ...config, httpApiSpec: [], quotaSpec: [] }),
    ...config.httpApiSpec.flatMap((spec, index) => below('httpApiSpec', index, validateHttpApiSpec(spec, regexes()))),
    ...config.quotaSpec.flatMap((spec, index) => below('quotaSpec', index, validateQuotaSpec(spec, regexes()))),
  ];
}

function below(field: string, index: number, violations: readonly Violation[]): readonly Violation[] {
  const path = childPath(field, index);
  return violations.map((violation) => ({ ...violation, path: joinPath(path, violation.path) }));
}
