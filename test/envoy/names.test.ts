import test from 'ava';
import { inboundClusterName, outboundClusterName, parseOutboundClusterName } from '../../src/envoy/names.js';
import fc from '../support/property-testing.js';

test('an outbound cluster is named by port, subset and host', (t) => {
  t.is(outboundClusterName(80, '', 'web.default.svc.cluster.local'), 'outbound|80||web.default.svc.cluster.local');
  t.is(outboundClusterName(80, 'v1', '*.example.com'), 'outbound|80|v1|*.example.com');
});

test('an inbound cluster is named by port, port name and host', (t) => {
  t.is(
    inboundClusterName(80, 'http', 'web.default.svc.cluster.local'),
    'inbound|80|http|web.default.svc.cluster.local',
  );
});

test('the name of an outbound cluster is parsed into its parts', (t) => {
  const label = fc.stringMatching(/^[a-z0-9.*-]{1,20}$/);
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 65535 }),
        fc.option(label, { nil: '' }),
        label,
        (port, subset, hostname) => {
          t.deepEqual(parseOutboundClusterName(outboundClusterName(port, subset, hostname)), {
            port,
            subset,
            hostname,
          });
        },
      ),
    ),
  );
});

for (const name of [
  '',
  'BlackHoleCluster',
  'inbound|80|http|web.default.svc.cluster.local',
  'outbound|80|web.default.svc.cluster.local',
  'outbound|80||',
  'outbound|http||web',
  'outbound|-1||web',
  'outbound|123456||web',
  'outbound|80||web|more',
  'outbound_.80_._.web',
]) {
  test(`"${name}" is not the name of an outbound cluster`, (t) => {
    t.is(parseOutboundClusterName(name), undefined);
  });
}
