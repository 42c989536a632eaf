import { errorText } from '../../base/error-text.js';
import { isRecord } from '../../base/record.js';
import { redactSecrets } from '../../base/redact-secrets.js';
import type { MeshObject } from '../../config/object.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { RuleObject__Output } from '../../generated/policy/mesh/policy/v1/RuleObject.js';
import { POLICY_TYPE_URLS } from './call-metadata.js';
import { PolicyWireError } from './policy-wire-error.js';

/** Name of the resource that has no object. */
export const RULE_SETTINGS = 'settings';

/** What the objects of the policy runtime are read with. */
export interface RuleSettings {
  /** MESH_LANG of the control plane. */
  readonly language: string;
  readonly rootNamespace: string;
  readonly isOpen: boolean;
  readonly grants: ReadonlyMap<string, ReadonlySet<string>>;
  /** The trust domain of the mesh and its aliases; empty from an older control plane. */
  readonly trustDomains: readonly string[];
}

/** An object of the policy runtime as its resource has it. */
export interface WireObject {
  readonly spec: unknown;
  readonly creationTimestamp: string | undefined;
  readonly isOfCluster: boolean;
  /** Whether credentials are left out of `spec`. */
  readonly isWithheld: boolean;
}

export type RuleResource =
  | { readonly type: 'object'; readonly object: WireObject }
  | { readonly type: 'settings'; readonly settings: RuleSettings };

/** @param isPrivate whether the receiver may have credentials */
export function encodeRuleObject(
  encoder: Pick<MessageEncoder, 'encode'>,
  { body, origin, metadata }: MeshObject,
  isPrivate: boolean,
): Buffer {
  const whole = JSON.stringify(body);
  const redacted = isPrivate ? whole : JSON.stringify(body, redactSecrets);
  return encoder.encode(POLICY_TYPE_URLS.ruleObject, {
    spec: redacted,
    creationTimestamp: metadata.creationTimestamp ?? '',
    ofCluster: origin === 'cluster',
    withheld: redacted !== whole,
  });
}

export function encodeRuleSettings(encoder: Pick<MessageEncoder, 'encode'>, settings: RuleSettings): Buffer {
  const { language, rootNamespace, isOpen, grants, trustDomains } = settings;
  const sorted = [...grants].sort(([one], [other]) => (one < other ? -1 : 1));
  return encoder.encode(POLICY_TYPE_URLS.ruleObject, {
    settings: {
      language,
      rootNamespace,
      isOpen,
      grants: Object.fromEntries(sorted.map(([namespace, names]) => [namespace, { names: [...names].sort() }])),
      trustDomains: [...trustDomains],
    },
  });
}

/**
 * Reads what the functions above write.
 *
 * @param registry with our own messages
 * @throws PolicyWireError
 */
export function createRuleObjectDecoder(registry: ProtoRegistry): (bytes: Uint8Array) => RuleResource {
  const messageType = registry.type(POLICY_TYPE_URLS.ruleObject);
  return (bytes) => {
    let message: RuleObject__Output;
    try {
      message = messageType.toObject(messageType.decode(bytes), { defaults: true }) as RuleObject__Output;
    } catch (cause) {
      throw new PolicyWireError(messageType.name, `cannot be decoded: ${errorText(cause)}`, { cause });
    }
    const { settings } = message;
    if (settings) return { type: 'settings', settings: readSettings(settings) };
    const { spec, creationTimestamp = '', ofCluster: isOfCluster = false, withheld: isWithheld = false } = message;
    return {
      type: 'object',
      object: {
        spec: readSpec(spec ?? '', messageType.name),
        creationTimestamp: creationTimestamp === '' ? undefined : creationTimestamp,
        isOfCluster,
        isWithheld,
      },
    };
  };
}

function readSettings({
  language = '',
  rootNamespace = '',
  isOpen = false,
  grants = {},
  trustDomains = [],
}: NonNullable<RuleObject__Output['settings']>): RuleSettings {
  const byNamespace = Object.entries(grants).map(
    ([namespace, { names = [] }]): readonly [string, ReadonlySet<string>] => [namespace, new Set(names)],
  );
  return { language, rootNamespace, isOpen, grants: new Map(byNamespace), trustDomains };
}

function readSpec(text: string, message: string): unknown {
  let spec: unknown;
  try {
    spec = JSON.parse(text);
  } catch (cause) {
    throw new PolicyWireError(message, `spec is not JSON: ${errorText(cause)}`, { cause });
  }
  if (!isRecord(spec)) throw new PolicyWireError(message, 'spec is not an object');
  return spec;
}
