import test from 'ava';
import { inboundClusterName, outboundClusterName } from '../../../src/envoy/names.js';
import {
  FORWARD,
  inboundHttpCheckName,
  OUTBOUND_HTTP_CHECK,
  outboundHttpCheckName,
  parsePolicyFilterName,
  tcpCheckName,
} from '../../../src/generators/policy/filter-names.js';

const HOST = 'web.default.svc.cluster.local';
const INBOUND = inboundClusterName(80, 'http', HOST);
const OUTBOUND = outboundClusterName(9000, '', HOST);

test('every name that listeners have is understood', (t) => {
  t.deepEqual(parsePolicyFilterName(OUTBOUND_HTTP_CHECK), { type: 'outboundHttpCheck' });
  t.deepEqual(parsePolicyFilterName(outboundHttpCheckName(6)), { type: 'outboundHttpCheckInSlot', slot: 6 });
  t.deepEqual(parsePolicyFilterName(FORWARD), { type: 'forward' });
  t.deepEqual(parsePolicyFilterName(inboundHttpCheckName(INBOUND)), { type: 'inboundHttpCheck', cluster: INBOUND });
  t.deepEqual(parsePolicyFilterName(tcpCheckName(INBOUND)), { type: 'inboundTcpCheck', cluster: INBOUND });
  t.deepEqual(parsePolicyFilterName(tcpCheckName(OUTBOUND)), {
    type: 'outboundTcpCheck',
    cluster: { port: 9000, subset: '', hostname: HOST },
  });
});

test('the checks of HTTP and of bytes of a port that is sniffed are two filters', (t) => {
  t.not(inboundHttpCheckName(INBOUND), tcpCheckName(INBOUND));
});

for (const name of [
  '',
  'policy',
  'policy|',
  'policy|tcp|',
  'policy|tcp|outbound',
  'policy|tcp|outbound|x||host',
  'policy|tcp|outbound|80|v1|host',
  'policy|tcp|outbound|80||',
  'policy|tcp|outbound|80||host|more',
  'policy|outbound|80||host',
  'policy|outbound|',
  'policy|outbound|10',
  'policy|tcp|policy|outbound',
  'authz|forward',
  '__proto__',
  'policy|__proto__',
  '\u0000',
]) {
  test(`${JSON.stringify(name)} is the name of no filter`, (t) => {
    t.is(parsePolicyFilterName(name), undefined);
  });
}
