import { booksService, quotaBinding, quotaSpec } from '../../../bootstrap/status/status-objects.js';
import type { Attack } from '../attack.js';
import { type AskedRequest, askMany, createPolicyCaller, type PolicyCaller } from '../policy-caller.js';
import { createTenantClient } from '../tenant-client.js';
import { ATTACKERS } from '../tenants.js';

/** Twice as many as the server counts for one quota. */
export const INVENTED_KEYS = 8_000;
/** Limit of each key. */
const LIMIT_OF_KEY = 20;
/** How many keys of the quota the server counts. */
export const MAX_COUNTERS = INVENTED_KEYS / 2;
const LEGITIMATE_KEY = 'legitimate';
const INVENTED_PER_LEGITIMATE = 50;
const CALLS_AT_ONCE = 32;
const SERVICE = `books.${ATTACKERS}.svc.cluster.local`;

/**
 * Requests with new API keys, which users of a service can send, beside one key that is in use. Fails if that key gets
 * more or less than its limit, or if a new key is refused. Requests that a busy server sheds charge nothing, so they
 * count for no key.
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
          yield { service: SERVICE, apiKey: LEGITIMATE_KEY, label: 'in use' };
        }
        yield { service: SERVICE, apiKey: `invented-${sent}`, label: 'invented' };
      }
    }
    const counts = await askMany(caller, requests(), CALLS_AT_ONCE, signal);
    const countOf = (answer: string): number => counts.get(answer) ?? 0;
    const fresh = await answerOf(caller, 'fresh', signal);
    caller.close();
    const granted = Math.min(LIMIT_OF_KEY, legitimate - countOf('in use: shed'));
    const expected = new Map([
      ['invented: granted', sent - countOf('invented: shed')],
      ['in use: granted', granted],
      ['in use: exhausted', legitimate - countOf('in use: shed') - granted],
    ]);
    const told = [...counts].map(([answer, count]) => `${count} ${answer}`).join(', ');
    if (fresh !== 'granted') throw new Error(`a new key was refused afterwards: ${fresh}; ${told}`);
    for (const [answer, count] of signal.aborted ? [] : expected) {
      if (countOf(answer) !== count) throw new Error(`${count} ${answer} were expected: ${told}`);
    }
    return `${sent} invented keys: ${told}; a new key afterwards: ${fresh}`;
  },
};

/** The answer to a request with the key, once the server has time to decide one. */
async function answerOf(caller: PolicyCaller, apiKey: string, signal: AbortSignal): Promise<string> {
  let answer = 'not asked';
  do answer = await caller.ask({ service: SERVICE, apiKey });
  while (answer === 'shed' && !signal.aborted);
  return answer;
}

/** The service's policy is in force when a key runs out. */
async function untilCounted(caller: PolicyCaller, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await caller.ask({ service: SERVICE, apiKey: 'first' })) === 'exhausted') return;
  }
}
