import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { ObjectChange } from '../../../src/model/object-change.js';
import type { Lookup } from '../../../src/model/push-context.js';
import { analysisInputOf, type Enforcement } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createIncrementalAnalysis } from '../../../src/status/analysis/incremental-analysis.js';
import { batch, endpoints, gone, pod, port, service, snapshot, storeWith } from '../../model/mesh-objects.js';
import fc from '../../support/property-testing.js';
import { ENFORCEMENT, policyObject, shown } from './support.js';

type Change = MeshObject | ObjectChange;

const address = (version: string, index: number): string => `10.0.${version === 'v1' ? 1 : 2}.${index + 1}`;
const pods = ['v1', 'v2'].flatMap((version) =>
  [0, 1, 2].map((index) =>
    pod(`shop/web-${version}-${index}`, address(version, index), { labels: { app: 'web', version } }),
  ),
);
const web = service('shop/web', { ports: [port(80)], selector: { app: 'web' } });
const endpointsOf = (version: string, count = 1): MeshObject =>
  endpoints(
    'shop/web',
    Array.from({ length: count }, (_, index) => address(version, index)),
  );
const spec = policyObject('QuotaSpec shop/q {rules: [{quotas: [{quota: q, charge: 1}]}]}');
const binding = (version: string): MeshObject =>
  policyObject(
    `QuotaSpecBinding shop/b {services: [{name: web, labels: {version: ${version}}}], quotaSpecs: [{name: q}]}`,
  );

function rig() {
  const store = storeWith();
  store.apply(batch(...pods));
  let context = snapshot(store);
  let enforcement: Enforcement = ENFORCEMENT;
  let fullRuns = 0;
  const analysis = createIncrementalAnalysis(() => {
    fullRuns++;
    return enforcement;
  });
  return {
    /** Applies the changes. Returns the messages of the incremental and of a fresh analysis. */
    apply: (...changes: readonly Change[]) => {
      store.apply(batch(...changes));
      context = snapshot(store, context);
      const fresh = analyze(analysisInputOf(context, enforcement)).map(shown);
      return { incremental: analysis.analyze(context).map(shown), fresh };
    },
    setEnforcement: (next: Enforcement) => {
      enforcement = next;
      analysis.enforcementChanged();
    },
    /** Number of runs of all analyzers. */
    fullRuns: () => fullRuns,
  };
}

test('a change of endpoints alone runs only the analyzers that read endpoints, and finds missing labels', (t) => {
  const mesh = rig();
  const before = mesh.apply(web, endpointsOf('v1'), spec, binding('v1')).incremental;
  t.false(before.some((line) => line.startsWith('MESH0215')));
  const runs = mesh.fullRuns();
  const after = mesh.apply(endpointsOf('v2')).incremental;
  t.is(mesh.fullRuns(), runs);
  t.true(after.some((line) => line.startsWith('MESH0215 QuotaSpecBinding/shop/b spec.services[0].labels')));
  t.deepEqual(
    after.filter((line) => !line.startsWith('MESH0215')),
    before,
  );
});

test('a changed policy, and a changed enforcement, run all analyzers', (t) => {
  const mesh = rig();
  mesh.apply(web, endpointsOf('v1'), spec, binding('v1'));
  const runs = mesh.fullRuns();
  mesh.apply(binding('v2'));
  t.is(mesh.fullRuns(), runs + 1);
  mesh.setEnforcement({ ...ENFORCEMENT, isPluginOn: false });
  const { incremental, fresh } = mesh.apply(endpointsOf('v2'));
  t.is(mesh.fullRuns(), runs + 2);
  t.deepEqual(incremental, fresh);
  t.true(incremental.some((line) => line.includes('--plugins does not name policy')));
});

test('after any changes an incremental analysis has the messages of a fresh one', (t) => {
  const change = fc.constantFrom<Change>(
    endpointsOf('v1'),
    endpointsOf('v2'),
    endpointsOf('v2', 3),
    gone(endpointsOf('v1')),
    web,
    gone(web),
    spec,
    gone(spec),
    binding('v1'),
    binding('v2'),
    gone(binding('v1')),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const mesh = rig();
      for (const each of changes) {
        const { incremental, fresh } = mesh.apply(each);
        t.deepEqual(incremental, fresh);
      }
    }),
    { numRuns: 60 },
  );
});

test('labels of many wildcards are compared with one look at each service', (t) => {
  const store = storeWith();
  const services = Array.from({ length: 50 }, (_, index) =>
    service(`shop/s${index}`, { clusterIP: `10.96.0.${index + 1}`, ports: [port(80)], selector: { app: 'web' } }),
  );
  const bindings = Array.from({ length: 20 }, (_, index) =>
    policyObject(
      `QuotaSpecBinding shop/b${index} {services: [{service: "*", labels: {app: ${index < 10 ? 'web' : 'gone'}}}], quotaSpecs: [{name: q}]}`,
    ),
  );
  const all = services.map(({ metadata: { name } }) => endpoints(`shop/${name}`, [address('v1', 0)]));
  store.apply(batch(...pods, ...services, ...all, spec, ...bindings));
  const context = snapshot(store);
  let lookups = 0;
  const counted: Lookup<string, NonNullable<ReturnType<typeof context.endpoints.get>>> = {
    get: (key) => {
      lookups++;
      return context.endpoints.get(key);
    },
    size: context.endpoints.size,
    entries: () => context.endpoints.entries(),
  };
  const messages = analyze(analysisInputOf({ ...context, endpoints: counted }, ENFORCEMENT)).map(shown);
  t.is(messages.filter((line) => line.startsWith('MESH0215')).length, 10);
  t.true(lookups <= 3 * (services.length + bindings.length), `${lookups} lookups of endpoints`);
});
