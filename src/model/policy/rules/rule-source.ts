import type { PushContext } from '../../push-context.js';

/** The parts of a snapshot from which rules are resolved. */
export interface RuleSource extends Pick<PushContext, 'objects' | 'bindingGrants'> {
  /** Of identities in AuthorizationPolicies. Default: none is known, so each is compared as it is written. */
  readonly mesh?: Pick<PushContext['mesh'], 'trustDomain' | 'trustDomainAliases'>;
}
