import assert from 'node:assert/strict';
import type { AttackedServer } from './support/attacked-server.js';
import { FORGED_KEY, LIMIT_OF_KEY } from './support/attacks/forged-checks.js';
import { INVENTED_KEYS, MAX_COUNTERS } from './support/attacks/invented-keys.js';
import { createPolicyCaller } from './support/policy-caller.js';
import { declareAttackTests } from './support/shared-cluster.js';
import { survives } from './support/survives.js';
import { BOOKS } from './support/tenants.js';

async function forgedCallsChargedNothing({ target, victim, metric }: AttackedServer): Promise<void> {
  const sidecar = createPolicyCaller(target, '127.0.0.4', victim);
  const answers: string[] = [];
  for (let call = 0; call <= LIMIT_OF_KEY; call++)
    answers.push(await sidecar.ask({ service: BOOKS, apiKey: FORGED_KEY }));
  sidecar.close();
  assert.deepEqual(
    answers,
    [...Array.from({ length: LIMIT_OF_KEY }, () => 'granted'), 'exhausted'],
    'the forged calls have charged nothing',
  );
  assert.equal(await metric('policy_server_refused_calls_total{reason="service"}'), 1000);
  assert.equal(await metric('policy_server_uncharged_checks_total'), 1000);
}

async function countersWereEvicted({ metric }: AttackedServer): Promise<void> {
  const evicted = (await metric('policy_server_quota_evicted_counters_total{quota="requests"}')) ?? 0;
  assert.ok(evicted >= INVENTED_KEYS - MAX_COUNTERS, `${evicted} counters were evicted`);
}

// Data that is forged, invented or hard to process, at a moderate rate.
await declareAttackTests(
  survives(['compressed-messages']),
  survives(['forged-checks'], { after: forgedCallsChargedNothing }),
  survives(['invented-keys'], { after: countersWereEvicted }),
  survives(['invented-nodes']),
  survives(['large-expressions-in-checks']),
  survives(['large-expressions-in-checks'], { scale: 10 }),
  survives(['large-quota-specs']),
  survives(['renew-deleted-account']),
);
