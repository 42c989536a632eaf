import test from 'ava';
import type { ServiceCluster } from '../../../../src/model/traffic/mesh-traffic.js';
import { createVirtualServiceBinder } from '../../../../src/model/traffic/virtual-services/destinations.js';
import type { VirtualService } from '../../../../src/model/traffic/virtual-services/virtual-service.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { eventually } from '../../../support/eventually.js';

test('a bound VirtualService keeps the clusters of its destinations, and not the view that they were looked up in', async (t) => {
  const virtualService: Pick<VirtualService, 'destinationHosts'> = { destinationHosts: ['web', 'gone'] };
  const clusters: readonly ServiceCluster[] = [];
  const bind = createVirtualServiceBinder();
  const bindInView = () => {
    const view = new Map([['web', clusters]]);
    const bound = bind(virtualService as VirtualService, (host) => view.get(host));
    return { bound, view: new WeakRef(view) };
  };
  const first = bindInView();
  const second = bindInView();
  t.is(first.bound, second.bound);
  await eventually('the view is collected', () => {
    collectGarbage();
    return first.view.deref() === undefined;
  });
  t.is(second.bound.clustersOf('web'), clusters);
  t.is(second.bound.clustersOf('gone'), undefined);
});
