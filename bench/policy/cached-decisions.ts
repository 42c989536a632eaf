import { systemClock } from '../../src/base/clock.js';
import { createPolicyClient, type PolicyClient } from '../../src/policy/client/policy-client.js';
import type { PolicyTransport } from '../../src/policy/client/policy-transport.js';
import type { ReferencedAttributes } from '../../src/policy/client/referenced-attributes.js';

/** References that a policy server would return for an allowed request: one of each kind. */
const CHECK_REFERENCES: ReferencedAttributes = [
  { name: 'source.uid', condition: 'EXACT' },
  { name: 'destination.service.host', condition: 'EXACT' },
  { name: 'request.path', condition: 'EXACT' },
  { name: 'request.headers', mapKey: 'x-api-key', condition: 'EXACT' },
  { name: 'request.auth.principal', condition: 'ABSENCE' },
];

/** Its quota dimensions. */
const QUOTA_REFERENCES: ReferencedAttributes = [
  { name: 'request.api_key', condition: 'EXACT' },
  { name: 'destination.service.host', condition: 'EXACT' },
];

/**
 * A policy client with both caches and a policy server that allows and grants everything: the cost of a cached
 * decision.
 */
export function createCachingClient(): PolicyClient {
  const transport: PolicyTransport = {
    check: async ({ quotas }) => ({
      precondition: { status: { code: 'OK', message: '' }, validUseCount: -1, referencedAttributes: CHECK_REFERENCES },
      quotas: new Map(
        [...quotas].map(([quota, { amount }]) => [
          quota,
          { grantedAmount: amount, referencedAttributes: QUOTA_REFERENCES },
        ]),
      ),
    }),
    report: async () => {},
  };
  return createPolicyClient({}, { transport, clock: systemClock, random: Math.random, clientId: 'bench-' });
}
