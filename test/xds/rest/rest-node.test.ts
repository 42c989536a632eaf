import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { RestNode, type RestSubscription } from '../../../src/xds/rest/rest-node.js';
import { createFakeClock } from '../../support/fake-clock.js';

/** A node and its subscriptions, and how often their states were read. */
function createNode() {
  const node = new RestNode(createFakeClock(), 15_000);
  const counts = { reads: 0 };
  const enter = (typeUrl: string) => {
    const state = { isNew: false, isChanging: false, isAddingResources: false, proceeded: 0 };
    const read = (field: 'isNew' | 'isChanging' | 'isAddingResources'): boolean => {
      counts.reads++;
      return state[field];
    };
    const subscription: RestSubscription = {
      typeUrl,
      get isNew() {
        return read('isNew');
      },
      get isChanging() {
        return read('isChanging');
      },
      get isAddingResources() {
        return read('isAddingResources');
      },
      proceed: () => {
        state.proceeded++;
      },
      changed: () => {
        state.proceeded++;
      },
    };
    node.enter(subscription);
    return { subscription, state };
  };
  return { node, counts, enter };
}

test('a poll of a proxy with thousands of subscriptions does not look at each of them', (t) => {
  const { node, counts, enter } = createNode();
  const all = Array.from({ length: 2_000 }, (_, index) => enter(index % 2 === 0 ? TypeUrl.cluster : TypeUrl.route));
  for (const { subscription } of all) node.mustWait(subscription);
  for (const { subscription } of all) node.answered(subscription);
  for (const { subscription } of all) node.leave(subscription);
  t.true(counts.reads < 20 * all.length, `${counts.reads}`);
});

test('routes wait for the newest subscription to clusters, however many others the node has', (t) => {
  const { node, enter } = createNode();
  for (let index = 0; index < 100; index++) enter(TypeUrl.cluster);
  const [clusters, route] = [enter(TypeUrl.cluster), enter(TypeUrl.route)];
  clusters.state.isAddingResources = true;
  t.true(node.mustWait(route.subscription));
  clusters.state.isAddingResources = false;
  node.answered(clusters.subscription);
  t.is(route.state.proceeded, 1);
});

test('thousands of routes that change at once are looked at a few times each while old clusters wait', (t) => {
  const { node, counts, enter } = createNode();
  const clusters = enter(TypeUrl.cluster);
  const routes = Array.from({ length: 2_000 }, () => enter(TypeUrl.route));
  for (const { state } of routes) state.isChanging = true;
  t.true(node.usesOldClusters(clusters.subscription));
  node.keepsOldClusters(clusters.subscription, true);
  for (const { subscription, state } of routes) {
    t.is(clusters.state.proceeded, 0);
    state.isChanging = false;
    node.answered(subscription);
  }
  t.is(clusters.state.proceeded, 1);
  t.true(counts.reads < 10 * routes.length, `${counts.reads}`);
});
