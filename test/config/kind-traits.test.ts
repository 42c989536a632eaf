import test from 'ava';
import { isTracked, POLICY_KINDS, traitsOf } from '../../src/config/kind-traits.js';
import { createKindRegistry } from '../../src/config/kinds.js';

const UNKNOWN = traitsOf('SomethingNew');

test('every supported kind has a line in the table of traits', (t) => {
  const { definitions } = createKindRegistry('mesh.internal');
  const without = definitions.filter(({ kind }) => traitsOf(kind) === UNKNOWN).map(({ kind }) => kind);
  t.deepEqual(without, []);
});

test('the origin in the table is that of the API group', (t) => {
  for (const { kind, group } of createKindRegistry('mesh.internal').definitions) {
    t.is(traitsOf(kind).origin, group.endsWith('.mesh.internal') ? 'mesh' : 'kubernetes', kind);
  }
});

test('an unknown kind may change every group of resources, and its versions are tracked', (t) => {
  t.deepEqual(
    [...UNKNOWN.affects],
    ['clusters', 'endpoints', 'listeners', 'routes', 'filters', 'serviceConfigs', 'ruleObjects', 'plans'],
  );
  t.true(isTracked('SomethingNew'));
});

test('objects that change with every pod are not tracked', (t) => {
  t.deepEqual(['Endpoints', 'EndpointSlice', 'Pod', 'Node', 'Service'].map(isTracked), [
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('policy servers enforce six kinds', (t) => {
  const specs = ['HTTPAPISpec', 'HTTPAPISpecBinding', 'QuotaSpec', 'QuotaSpecBinding'];
  t.deepEqual(POLICY_KINDS, [...specs, 'Plan', 'Consumer']);
});
