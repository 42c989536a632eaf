import assert from 'node:assert/strict';
import { INVENTED_KEYS, LIMIT_OF_KEY } from './support/attacks/invented-keys.js';
import { survives } from './support/survives.js';

const MAX_COUNTERS = INVENTED_KEYS / 2;

await survives(['invented-keys'], {
  policyConfig: `
quotas:
  - name: requests
    maxAmount: ${LIMIT_OF_KEY}
    validDuration: 1h
    dimensions: [request.api_key]
    overrides: [{ dimensions: { request.api_key: k1 }, maxAmount: 1000000000 }]
storage: { type: memory, maxCounters: ${MAX_COUNTERS} }
`,
  after: async ({ metric }) => {
    const evicted = (await metric('policy_server_quota_evicted_counters_total{quota="requests"}')) ?? 0;
    assert.ok(evicted >= INVENTED_KEYS - MAX_COUNTERS, `${evicted} counters were evicted`);
  },
});
