import test from 'ava';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { batch, serviceEntry, snapshot, storeWith } from '../../model/mesh-objects.js';
import { factsOf, told } from '../conditions/support.js';
import { ENFORCEMENT } from './support.js';

const HOSTILE = { ...serviceEntry('evil/e', { hosts: ['web.shop.svc.cluster.local'] }), origin: 'cluster' as const };

test('an entry that passed admission is MESH0501: it affects only its own namespace', (t) => {
  const store = storeWith();
  const before = snapshot(store);
  store.apply(batch(HOSTILE));
  const context = snapshot(store, before);
  t.true(canDiffer({ ...context, entryOffences: before.entryOffences }, context));
  const messages = analyze(analysisInputOf(context, ENFORCEMENT)).filter(({ code }) => code === 'MESH0501');
  t.deepEqual(
    messages.map(({ object, field }) => [object, field]),
    [['ServiceEntry/evil/e', 'spec.hosts[0]']],
  );
  t.regex(messages[0]?.message ?? '', /^"web\.shop\.svc\.cluster\.local" is a host of namespace shop/);
  const [, resolvedRefs = ''] = told(factsOf({ key: 'ServiceEntry/evil/e', messages }));
  t.regex(resolvedRefs, /^ResolvedRefs=False RefNotPermitted: spec\.hosts\[0\]: "web\.shop/);
});
