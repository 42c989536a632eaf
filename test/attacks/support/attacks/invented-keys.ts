import { booksService, quotaBinding, quotaSpec } from '../../../bootstrap/status/status-objects.js';
import type { Attack } from '../attack.js';
import { ATTACKERS } from '../attacked-server.js';
import { type AskedRequest, askMany, createPolicyCaller, type PolicyCaller } from '../policy-caller.js';
import { createTenantClient } from '../tenant-client.js';

/** Twice as many as the server counts for one quota. */
export const INVENTED_KEYS = 8_000;
/** What the server grants each key. */
const LIMIT_OF_KEY = 20;
/** How many keys of the quota the server counts. */
export const MAX_COUNTERS = INVENTED_KEYS / 2;
const LEGITIMATE_KEY = 'legitimate';
const INVENTED_PER_LEGITIMATE = 50;
const CALLS_AT_ONCE = 32;
const SERVICE = `books.${ATTACKERS}.svc.cluster.local`;

/**
 * Requests with ever new API keys, as the users of a service can send them, beside one key that is in use all the time.
 * Fails when that key gets more or less than its limit, or when a new key is refused.
 */
export const attack: Attack = {
  title: `${INVENTED_KEYS} invented API keys beside one that is in use`,
  durationMs: 50_000,
  policyConfig: `
quotas:
  - name: requests
    maxAmount: ${LIMIT_OF_KEY}
    validDuration: 1h
    dimensions: [request.api_key]
    overrides: [{ dimensions: { request.api_key: k1 }, maxAmount: 1000000000 }]
storage: { type: memory, maxCounters: ${MAX_COUNTERS} }
`,
  async run(target, scale, signal) {
    const client = createTenantClient(target);
    await client.applyAll([...booksService(ATTACKERS), quotaSpec(ATTACKERS), quotaBinding(ATTACKERS)]);
    client.close();
    const caller = createPolicyCaller(target, '127.0.0.21', target.credentials);
    await untilCounted(caller, signal);
    let sent = 0;
    let legitimate = 0;
    function* requests(): Generator<AskedRequest> {
      for (; sent < INVENTED_KEYS * scale; sent++) {
        if (sent % INVENTED_PER_LEGITIMATE === 0) {
          legitimate++;
          yield { service: SERVICE, apiKey: LEGITIMATE_KEY };
        }
        yield { service: SERVICE, apiKey: `invented-${sent}` };
      }
    }
    const counts = await askMany(caller, requests(), CALLS_AT_ONCE, signal);
    const fresh = await caller.ask({ service: SERVICE, apiKey: 'fresh' });
    caller.close();
    const expected = new Map([
      ['granted', sent + LIMIT_OF_KEY],
      ['exhausted', legitimate - LIMIT_OF_KEY],
    ]);
    const told = [...counts].map(([answer, count]) => `${count} ${answer}`).join(', ');
    if (fresh !== 'granted') throw new Error(`a new key was refused afterwards: ${fresh}; ${told}`);
    for (const [answer, count] of signal.aborted ? [] : expected) {
      if (counts.get(answer) !== count) throw new Error(`${count} ${answer} were expected: ${told}`);
    }
    return `${sent} invented keys: ${told}, of which the key in use exactly ${LIMIT_OF_KEY}; a new key afterwards: ${fresh}`;
  },
};

/** The service's policy is in force when a key runs out. */
async function untilCounted(caller: PolicyCaller, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await caller.ask({ service: SERVICE, apiKey: 'first' })) === 'exhausted') return;
  }
}
