import test from 'ava';
import fc from '../../support/property-testing.js';
import { createClustersRig, kubeconfigFor, serverOf, turn } from './support/clusters-rig.js';

const SERVERS = ['s1', 's2', 's3'] as const;
const TEXTS = [...SERVERS.map((server) => kubeconfigFor(server)), 'bad'] as const;

const text = fc.constantFrom(...TEXTS);
const secrets = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.dictionary(fc.constantFrom('west', 'north', 'own'), text, { noNullPrototype: true }),
  { noNullPrototype: true },
);
const step = fc.oneof(
  fc.record({ type: fc.constant('register' as const), secrets }),
  fc.record({ type: fc.constant('deliver' as const), pick: fc.nat(20), name: fc.constantFrom('web', 'api') }),
  fc.record({ type: fc.constant('down' as const), server: fc.constantFrom(...SERVERS), isDown: fc.boolean() }),
  fc.record({ type: fc.constant('time' as const), ms: fc.nat(20_000) }),
);

test('any history of secrets, outages and events ends in the state of the last valid kubeconfigs', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), secrets, async (history, last) => {
      const rig = createClustersRig();
      /** What each cluster was registered with, so far as it could be used and nothing ended it. */
      const usable = new Map<string, string>();
      const register = (next: typeof last): void => {
        rig.register(next);
        const chosen = new Map([...Object.entries(next['b'] ?? {}), ...Object.entries(next['a'] ?? {})]);
        for (const id of usable.keys()) if (!chosen.has(id)) usable.delete(id);
        for (const [id, kubeconfig] of chosen) {
          const server = serverOf(kubeconfig);
          if (id !== 'own' && server !== undefined) usable.set(id, server);
        }
      };
      for (const each of history) {
        switch (each.type) {
          case 'register':
            register(each.secrets);
            break;
          case 'deliver':
            rig.sources[each.pick]?.deliver(each.name, `on ${rig.sources[each.pick]?.server}`);
            break;
          case 'down':
            if (each.isDown) rig.down.add(`https://${each.server}`);
            else rig.down.delete(`https://${each.server}`);
            break;
          case 'time':
            rig.clock.advance(each.ms);
            break;
        }
        await turn();
      }
      register(last);
      rig.down.clear();
      for (let round = 0; round < 3; round += 1) {
        await turn();
        rig.clock.advance(120_000);
      }
      await turn();
      for (const source of rig.sources) source.deliver(`end of ${source.server}`);
      const servers = new Map(
        [...rig.served].map(([id, names]) => [id, [...names].filter((name) => name.startsWith('end of')).join()]),
      );
      const isReached = (id: string): boolean => {
        const kubeconfig = last['a']?.[id] ?? last['b']?.[id];
        return kubeconfig !== undefined && serverOf(kubeconfig) !== undefined;
      };
      for (const [id, server] of usable) {
        // A kubeconfig that was replaced by a bad one before its cluster was read never counted.
        if (isReached(id)) t.is(servers.get(id), `end of ${server}`);
      }
      for (const id of servers.keys()) t.true(usable.has(id), `${id} is served, and not registered`);
      const living = rig.sources.filter(({ stopped }) => !stopped).map(({ id }) => id);
      t.is(new Set(living).size, living.length, 'one source for each cluster');
      await rig.clusters.stop();
      t.true(rig.sources.every(({ stopped }) => stopped));
      t.is(rig.clock.pending, 0);
    }),
    { numRuns: 200 },
  );
});
