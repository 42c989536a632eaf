import { isRecord } from '../base/record.js';
import type { ExpressionLanguage } from '../expressions/expression-types.js';
import { createCoreKinds } from './core/core-kinds.js';
import { createGatewayApiKinds } from './gateway-api/gateway-api-kinds.js';
import { createIngressKinds } from './ingress/ingress-kinds.js';
import { apiVersionOf, type KindDefinition } from './kind-definition.js';
import {
  createNetworkingKinds,
  DEFAULT_NETWORKING_FEATURES,
  type NetworkingFeatures,
} from './networking/networking-kinds.js';
import { createPlanKinds } from './plans/plan-kinds.js';
import { createPolicyKinds } from './policy/policy-kinds.js';
import { createRuleKinds } from './policy-rules/rule-kinds.js';
import {
  createMetadataReader,
  createObjectReader,
  nameOf,
  type ObjectReader,
  type ReadOptions,
  type ReadResult,
} from './read-object.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from './regex/regex-limits.js';
import { createSchemaCompiler } from './schema/schema-reader.js';
import { createSecurityKinds } from './security/security-kinds.js';
import { explainUnknownKind } from './unknown-kind.js';

/** Settings that decide which objects are valid. */
export interface KindFeatures extends NetworkingFeatures {
  /** Of rules and instances. Default: legacy. */
  readonly expressionLanguage?: ExpressionLanguage | undefined;
  /** NAV_ENABLED_SERVICE_APIS: whether the kinds of the Kubernetes Gateway API are read. Default false. */
  readonly gatewayApi?: boolean;
}

/** The supported kinds. Reads and validates their objects. */
export interface KindRegistry {
  readonly meshDomain: string;
  readonly definitions: readonly KindDefinition[];
  find(apiVersion: string, kind: string): KindDefinition | undefined;
  /** Every supported `group/version` of a kind of this name; empty for an unknown kind. */
  apiVersionsOf(kind: string): readonly string[];
  /** Reads one parsed object: envelope, schema, defaults and rules. Never throws: mistakes are violations. */
  read(raw: unknown, options: ReadOptions): ReadResult;
}

/**
 * Builds the registry for a mesh domain.
 *
 * @param limits for the regular expressions of each object
 * @param features default: as without settings
 */
export function createKindRegistry(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
  features: KindFeatures = DEFAULT_NETWORKING_FEATURES,
): KindRegistry {
  const definitions = createKindDefinitions(meshDomain, limits, features);
  const compiler = createSchemaCompiler();
  const metadataReader = createMetadataReader(compiler);
  const readers = new Map<string, ObjectReader>();
  const apiVersions = new Map<string, readonly string[]>();
  for (const definition of definitions) {
    const reader = createObjectReader(definition, compiler, metadataReader);
    const accepted = definition.versions.map((version) => apiVersionOf(definition, version));
    for (const apiVersion of accepted) readers.set(`${apiVersion}/${definition.kind}`, reader);
    apiVersions.set(definition.kind, [...(apiVersions.get(definition.kind) ?? []), ...accepted]);
  }
  const apiVersionsOf = (kind: string): readonly string[] => apiVersions.get(kind) ?? [];
  return {
    meshDomain,
    definitions,
    find: (apiVersion, kind) => readers.get(`${apiVersion}/${kind}`)?.definition,
    apiVersionsOf,
    read: (raw, options) => {
      const header = readHeader(raw);
      if (header.type !== 'header') return header;
      const reader = readers.get(`${header.apiVersion}/${header.kind}`);
      if (reader !== undefined) return reader.read(header.object, options);
      const { apiVersion, kind } = header;
      const violation = explainUnknownKind(definitions, apiVersion, kind);
      const subject = { kind: kind.slice(0, MAX_SHOWN_KIND), ...nameOf(header.object, options) };
      return {
        type: 'unknown',
        apiVersion,
        kind,
        knownApiVersions: apiVersionsOf(kind),
        ...(violation === undefined ? {} : { mistake: { subject, violation } }),
      };
    },
  };
}

/** All kinds. Their schemas depend neither on the mesh domain nor on the limits. */
export function createKindDefinitions(
  meshDomain: string,
  limits: RegexLimits = DEFAULT_REGEX_LIMITS,
  features: KindFeatures = DEFAULT_NETWORKING_FEATURES,
): readonly KindDefinition[] {
  return [
    ...createPolicyKinds(meshDomain, limits),
    ...createPlanKinds(meshDomain, limits),
    ...createRuleKinds(meshDomain, limits, features.expressionLanguage),
    ...createNetworkingKinds(meshDomain, limits, features),
    ...createSecurityKinds(meshDomain),
    ...createCoreKinds(),
    ...(features.gatewayApi === true ? createGatewayApiKinds() : []),
    ...createIngressKinds(),
  ];
}

/** Longer than the name of any kind. */
const MAX_SHOWN_KIND = 63;

type Header =
  | {
      readonly type: 'header';
      readonly apiVersion: string;
      readonly kind: string;
      readonly object: Readonly<Record<string, unknown>>;
    }
  | Extract<ReadResult, { readonly type: 'invalid' }>;

function readHeader(object: unknown): Header {
  if (!isRecord(object)) {
    return invalidHeader('', object, 'is not an object', 'start it with apiVersion, kind and metadata');
  }
  for (const field of ['apiVersion', 'kind']) {
    const value = Object.hasOwn(object, field) ? object[field] : undefined;
    if (value === undefined || value === null || value === '') {
      return invalidHeader(field, undefined, 'is missing', 'every object needs apiVersion, kind and metadata');
    }
    if (typeof value !== 'string') return invalidHeader(field, value, 'is not a string', 'put it in quotes');
  }
  return { type: 'header', apiVersion: String(object['apiVersion']), kind: String(object['kind']), object };
}

function invalidHeader(path: string, value: unknown, message: string, remedy: string): Header {
  return {
    type: 'invalid',
    subject: { kind: 'object', namespace: '', name: '' },
    violations: [{ path, ...(value === undefined ? {} : { value }), message, remedy }],
    breaks: 'form',
  };
}
