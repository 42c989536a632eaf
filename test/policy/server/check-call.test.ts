import test from 'ava';
import { readCheckCall } from '../../../src/policy/server/check-call.js';

const read = (metadata: Readonly<Record<string, string>>) => readCheckCall((key) => metadata[key]);

test('the metadata of a Check names configuration, service, and for a connection its id and time', (t) => {
  t.deepEqual(
    read({
      'x-mesh-client-config': 'Q09ORklH',
      'x-mesh-service': 'books.default.svc.cluster.local',
      'x-mesh-connection-id': 'f42f5233-5749-4924-a540-12fd4dc01cf4',
      'x-mesh-connection-time': '1795271864.587166000',
    }),
    {
      caller: { type: 'anonymous' },
      peer: '',
      configText: 'Q09ORklH',
      service: 'books.default.svc.cluster.local',
      connectionId: 'f42f5233-5749-4924-a540-12fd4dc01cf4',
      connectionTimeNs: 1_795_271_864_587_166_000n,
    },
  );
});

for (const time of ['', '-', '1795271864', '1795271864.5', '-1.000000000', 'x', '9999999999999999.000000000']) {
  test(`the time ${JSON.stringify(time)} is invalid`, (t) => {
    t.is(read({ 'x-mesh-connection-time': time }).connectionTimeNs, undefined);
  });
}

test('missing, empty and unknown values are left out', (t) => {
  const nothing = {
    caller: { type: 'anonymous' },
    peer: '',
    configText: undefined,
    service: undefined,
    connectionId: undefined,
    connectionTimeNs: undefined,
  };
  t.deepEqual(read({}), nothing);
  t.deepEqual(read({ 'x-mesh-service': '', 'x-mesh-connection-id': '-' }), nothing);
});
