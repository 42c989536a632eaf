import { systemClock } from '../../src/base/clock.js';
import { createPolicyClient, type PolicyClient } from '../../src/policy/client/policy-client.js';
import type { PolicyTransport } from '../../src/policy/client/policy-transport.js';
import type { ReferencedAttributes } from '../../src/policy/client/referenced-attributes.js';

/** What a policy server would look at to allow a request: of each kind of reference one. */
const CHECK_REFERENCES: ReferencedAttributes = [
  { name: 'source.uid', condition: 'EXACT' },
  { name: 'destination.service.host', condition: 'EXACT' },
  { name: 'request.path', condition: 'EXACT' },
  { name: 'request.headers', mapKey: 'x-api-key', condition: 'EXACT' },
  { name: 'request.auth.principal', condition: 'ABSENCE' },
];

/** What it would count by. */
const QUOTA_REFERENCES: ReferencedAttributes = [
  { name: 'request.api_key', condition: 'EXACT' },
  { name: 'destination.service.host', condition: 'EXACT' },
];

/**
 * A policy client with both of its caches, before a policy server that allows and grants everything: what it costs to
 * decide without asking.
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
