import assert from 'node:assert/strict';
import { BOOKS } from './support/attacked-server.js';
import { FORGED_KEY, LIMIT_OF_KEY } from './support/attacks/forged-checks.js';
import { createPolicyCaller } from './support/policy-caller.js';
import { survives } from './support/survives.js';

await survives(['forged-checks'], {
  after: async ({ target, victim, metric }) => {
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
  },
});
