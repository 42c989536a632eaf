import type { FuzzTarget } from './fuzz-target.js';
import { certificateTargets } from './targets/certificates.js';
import { configurationTargets } from './targets/configuration.js';
import { credentialTargets } from './targets/credentials.js';
import { dnsTargets } from './targets/dns.js';
import { expressionTargets } from './targets/expressions.js';
import { httpTargets } from './targets/http.js';
import { policyTargets } from './targets/policy.js';
import { webhookTargets } from './targets/webhooks.js';
import { xdsTargets } from './targets/xds.js';

/** Every parser that faces a peer. */
export const allTargets: readonly FuzzTarget[] = [
  ...xdsTargets,
  ...certificateTargets,
  ...credentialTargets,
  ...policyTargets,
  ...expressionTargets,
  ...webhookTargets,
  ...configurationTargets,
  ...httpTargets,
  ...dnsTargets,
];
