import assert from 'node:assert/strict';
import { INVENTED_KEYS, MAX_COUNTERS } from './support/attacks/invented-keys.js';
import { survives } from './support/survives.js';

await survives(['invented-keys'], {
  after: async ({ metric }) => {
    const evicted = (await metric('policy_server_quota_evicted_counters_total{quota="requests"}')) ?? 0;
    assert.ok(evicted >= INVENTED_KEYS - MAX_COUNTERS, `${evicted} counters were evicted`);
  },
});
