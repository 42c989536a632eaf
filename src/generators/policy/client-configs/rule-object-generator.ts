import { keyOf, type MeshObject } from '../../../config/object.js';
import { RULE_KINDS } from '../../../config/policy-rules/kind-names.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { frameNamedResource, type MessageEncoder } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import type { BindingGrants } from '../../../model/policy/binding-grants.js';
import { checkServerOf, reportServerOf } from '../../../model/policy/policy-servers.js';
import {
  AUTHORIZATION_POLICY,
  trustDomainsIn,
  usesAuthorizationPolicies,
} from '../../../model/policy/rules/authorization-of.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/call-metadata.js';
import { encodeRuleObject, encodeRuleSettings, RULE_SETTINGS } from '../../../policy/wire/rule-object-message.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import { ruleObjectsAffectedBy } from '../affected-by.js';

interface RuleScope extends Scope {
  /** Whether the client has shown that it may have credentials of handlers. */
  readonly isPrivate: boolean;
  /** The namespace whose objects the client gets, beside those of the root namespace; undefined for all objects. */
  readonly namespace: string | undefined;
}

/**
 * The objects of the policy runtime by key, and the settings that they are read with, for policy servers, which resolve
 * and compile them as this process does. A client that may not see all policies gets what concerns its own namespace. An
 * object is encoded once, and again only when it has changed.
 */
export function createRuleObjectGenerator(encoder: MessageEncoder, language: string): WildcardGenerator {
  const memo = createMemo<EncodedResource>();
  const typeUrl = POLICY_TYPE_URLS.ruleObject;

  const resourceOf = (object: MeshObject, isPrivate: boolean): EncodedResource =>
    memo.of([object], String(isPrivate), () =>
      frameNamedResource(typeUrl, keyOf(object), encodeRuleObject(encoder, object, isPrivate)),
    );
  const settingsOf = (grants: BindingGrants, trustDomains: readonly string[]): EncodedResource =>
    memo.of([grants], trustDomains.join(' '), () => {
      const { rootNamespace, isOpen, byNamespace } = grants;
      const settings = { language, rootNamespace, isOpen, grants: byNamespace, trustDomains };
      return frameNamedResource(typeUrl, RULE_SETTINGS, encodeRuleSettings(encoder, settings));
    });

  const part: ResourcePart<RuleScope> = {
    name: 'rules',
    scope: ({ mesh }, { seesAllPolicies, configNamespace }) => {
      if (checkServerOf(mesh) === undefined && reportServerOf(mesh) === undefined) return undefined;
      // Without authentication nothing is known about the client.
      const isPrivate = seesAllPolicies === true;
      const namespace = seesAllPolicies === false ? configNamespace : undefined;
      return { key: `${isPrivate ? 'private' : ''} ${namespace ?? ''}`, isPrivate, namespace };
    },
    generate: ({ objects, bindingGrants, mesh }, { isPrivate, namespace }) => {
      const isMeant = ({ metadata }: MeshObject): boolean =>
        namespace === undefined ||
        metadata.namespace === namespace ||
        metadata.namespace === bindingGrants.rootNamespace;
      const needsPolicies = usesAuthorizationPolicies(objects.get('handler') ?? new Map());
      const kinds = needsPolicies ? [...RULE_KINDS, AUTHORIZATION_POLICY] : RULE_KINDS;
      const all = kinds.flatMap((kind) => [...(objects.get(kind)?.values() ?? [])]);
      const resources = all
        .filter(isMeant)
        .map((object) => resourceOf(object, isPrivate))
        .sort(byName);
      return { resources: [...resources, settingsOf(bindingGrants, trustDomainsIn(mesh))], findings: [] };
    },
  };
  return { mode: 'wildcard', typeUrl, parts: [part], affectedBy: ruleObjectsAffectedBy };
}

function byName({ name: one }: EncodedResource, { name: other }: EncodedResource): number {
  return one < other ? -1 : 1;
}
