import { apiVersionOf } from '../../../config/kind-definition.js';
import { DEFAULT_MESH_DOMAIN } from '../../../config/mesh-domain.js';
import type { MeshObject } from '../../../config/object.js';
import { createRuleKinds } from '../../../config/policy-rules/rule-kinds.js';
import { createMetadataReader, createObjectReader, type ObjectReader } from '../../../config/read-object.js';
import { createSchemaCompiler } from '../../../config/schema/schema-reader.js';
import { createSecurityKinds } from '../../../config/security/security-kinds.js';
import { formatFinding } from '../../../config/violation.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { AUTHORIZATION_POLICY } from '../../../model/policy/rules/authorization-of.js';
import type { RuleResource, RuleSettings, WireObject } from '../../wire/rule-object-message.js';

/** A resource of type RuleObject. */
export type ReadRuleObject =
  | { readonly type: 'settings'; readonly settings: RuleSettings & { readonly language: ExpressionLanguage } }
  | {
      readonly type: 'object';
      readonly object: MeshObject;
      /** Whether the control plane has left out credentials. */
      readonly isWithheld: boolean;
    };

/** Reads a resource by its name. @throws Error with the problem */
export type RuleObjectReader = (bytes: Buffer, name: string) => ReadRuleObject;

const LANGUAGES: readonly ExpressionLanguage[] = ['legacy', 'compat', 'cel'];

/**
 * Reads rules and what they name, and checks their form like YAML. Expressions are checked where rules are resolved, in the
 * language of the settings.
 *
 * @param maxRegexBytes `expressionBytes` of the limits
 */
export function createRuleObjectReader(
  decode: (bytes: Uint8Array) => RuleResource,
  maxRegexBytes: number,
): RuleObjectReader {
  const readers = createReaders(maxRegexBytes);
  return (bytes, name) => {
    const resource = decode(bytes);
    if (resource.type === 'settings') return { type: 'settings', settings: readSettings(resource.settings) };
    const [kind = '', namespace = '', ...rest] = name.split('/');
    const reader = readers.get(kind);
    if (reader === undefined || rest.length === 0) {
      throw new Error('is of a kind that this policy server does not know: run the version of the control plane');
    }
    const { isWithheld } = resource.object;
    return { type: 'object', object: readObject(reader, resource.object, namespace, rest.join('/')), isWithheld };
  };
}

function createReaders(expressionBytes: number): ReadonlyMap<string, ObjectReader> {
  const compiler = createSchemaCompiler();
  const metadata = createMetadataReader(compiler);
  // The control plane has bounded the expressions of each object.
  const unbounded = Number.POSITIVE_INFINITY;
  const limits = {
    expressionBytes,
    objectBytes: unbounded,
    serviceBytes: unbounded,
    namespaceBytes: unbounded,
    messageBytes: unbounded,
    programsBytes: unbounded,
  };
  // Handlers with the adapter rbac decide by them.
  const policiesOfHandlers = createSecurityKinds(DEFAULT_MESH_DOMAIN).filter(
    ({ kind }) => kind === AUTHORIZATION_POLICY,
  );
  return new Map(
    [...createRuleKinds(DEFAULT_MESH_DOMAIN, limits), ...policiesOfHandlers].map((definition) => {
      // Its rules are those of the control plane, in the language of the control plane.
      const isOfLanguage = definition.kind === 'rule' || definition.kind === 'instance';
      const checked = isOfLanguage ? { ...definition, validate: () => [] } : definition;
      return [definition.kind, createObjectReader(checked, compiler, metadata)];
    }),
  );
}

function readObject(reader: ObjectReader, wire: WireObject, namespace: string, name: string): MeshObject {
  const { spec, creationTimestamp, isOfCluster } = wire;
  const metadata = { name, namespace, ...(creationTimestamp !== undefined && { creationTimestamp }) };
  const { kind } = reader.definition;
  const result = reader.read(
    { apiVersion: apiVersionOf(reader.definition), kind, metadata, spec },
    { defaultNamespace: namespace, ...(isOfCluster && { origin: 'cluster' }) },
  );
  if (result.type === 'object') return result.object;
  const [first, ...others] = result.type === 'invalid' ? result.violations : [];
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw new Error(`${first === undefined ? 'is not valid' : formatFinding(first)}${more}`);
}

function readSettings(settings: RuleSettings): RuleSettings & { readonly language: ExpressionLanguage } {
  const language = LANGUAGES.find((each) => each === settings.language);
  if (language === undefined) {
    const text = JSON.stringify(settings.language);
    throw new Error(`language: ${text} is none that this policy server knows: run the version of the control plane`);
  }
  return { ...settings, language };
}
