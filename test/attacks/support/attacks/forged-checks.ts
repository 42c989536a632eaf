import type { Attack } from '../attack.js';
import { outboundConfigText } from '../outbound-config.js';
import { askMany, createPolicyCaller, type PolicyCaller } from '../policy-caller.js';
import { BOOKS } from '../tenants.js';

const CALLS = 1000;
const CALLS_AT_ONCE = 16;
/** The API key whose quota the forged calls try to use up. */
export const FORGED_KEY = 'gold';
/** Limit of that key. */
export const LIMIT_OF_KEY = 50;

/** Checks for another tenant's service and API key: in plaintext, and with the certificate of the attackers' workload. */
export const attack: Attack = {
  title: `${CALLS} forged Checks each in plaintext, as a sidecar of the service, and as a client of it`,
  policyConfig: `
quotas:
  - name: requests
    maxAmount: 1000000000
    validDuration: 1h
    dimensions: [request.api_key]
    overrides: [{ dimensions: { request.api_key: ${FORGED_KEY} }, maxAmount: ${LIMIT_OF_KEY} }]
`,
  async run(target, scale, signal) {
    const inbound = { service: BOOKS, apiKey: FORGED_KEY };
    const outbound = { ...inbound, configText: outboundConfigText('attackers') };
    const attempts: readonly (readonly [string, PolicyCaller, typeof inbound])[] = [
      ['plaintext', createPolicyCaller(target, '127.0.0.20'), inbound],
      ['inbound', createPolicyCaller(target, '127.0.0.20', target.credentials), inbound],
      ['outbound', createPolicyCaller(target, '127.0.0.20', target.credentials), outbound],
    ];
    const told: string[] = [];
    for (const [name, caller, request] of attempts) {
      const requests = Array.from({ length: CALLS * scale }, () => request);
      const counts = await askMany(caller, requests, CALLS_AT_ONCE, signal);
      caller.close();
      const kinds = [...counts].map(([answer, count]) => `${count} ${answer.slice(0, 60)}`);
      told.push(`${name}: ${kinds.slice(0, 3).join(', ')}`);
    }
    return told.join('; ');
  },
};
