import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { contextOf, service, serviceEntry } from '../../model/mesh-objects.js';
import { EVERYTHING_ON } from '../../model/policy/mesh-with.js';
import { factsOf, told } from '../conditions/support.js';
import { ENFORCEMENT, shown } from './support.js';

const P = 'policy.mesh.internal/';
const WRONG = { [`${P}failPolicy`]: 'closed', [`${P}maxRetry`]: '2' };

function messages(
  objects: Parameters<typeof contextOf>[0],
  policy: Partial<PolicyMeshConfig> = EVERYTHING_ON,
): ReturnType<typeof analyze> {
  const context = contextOf(objects);
  const mesh = { ...context.mesh, policy: { ...context.mesh.policy, ...policy } };
  return analyze(analysisInputOf({ ...context, mesh }, ENFORCEMENT)).filter(({ code }) => /^MESH0(25|125)/.test(code));
}

test('an unusable annotation of a Service or ServiceEntry gets one message', (t) => {
  const found = messages([
    service('shop/web', {}, { annotations: WRONG }),
    serviceEntry('shop/api', { hosts: ['a.example.com', 'b.example.com'] }, { annotations: WRONG }),
  ]);
  const text = `metadata.annotations[${P}failPolicy]: "closed" counts as FAIL_CLOSE: use FAIL_OPEN or FAIL_CLOSE; `;
  t.deepEqual(
    found.map((message) => shown(message).slice(0, shown(message).indexOf('; ') + 2)),
    [`MESH0125 Service/shop/web ${text}`, `MESH0125 ServiceEntry/shop/api ${text}`],
  );
  const [, , reconciled = ''] = told(factsOf({ key: 'ServiceEntry/shop/api', messages: found.slice(1) }));
  t.regex(reconciled, /^Reconciled=False UnusableAnnotation: .*failPolicy\]: "closed" counts as FAIL_CLOSE/);
});

test('a fail policy of a service in a mesh without checks is MESH0252', (t) => {
  const annotated = service('shop/web', {}, { annotations: { [`${P}maxRetry`]: '2' } });
  t.regex(
    messages([annotated], { mixerCheckServer: '' }).map(shown).join(),
    /^MESH0252 Service\/shop\/web: no proxy checks/,
  );
  t.deepEqual(messages([annotated]), []);
  t.deepEqual(messages([service('shop/plain')], { mixerCheckServer: '' }), []);
});

test('services without retries on the calling side are MESH0253', (t) => {
  const objects = Array.from({ length: 8 }, (_, index) =>
    service(`shop/s${index}`, {}, { annotations: { [`${P}maxRetry`]: String(index + 1) } }),
  );
  const policy = { ...EVERYTHING_ON, enableClientSidePolicyCheck: true };
  t.deepEqual(
    messages(objects, policy).map(({ code, object }) => `${code} ${object}`),
    [4, 5, 6, 7].map((index) => `MESH0253 Service/shop/s${index}`),
  );
  t.deepEqual(messages(objects, { ...policy, enableClientSidePolicyCheck: false }), []);
});
