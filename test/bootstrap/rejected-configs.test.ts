import test from 'ava';
import { createRejectedConfigs } from '../../src/bootstrap/rejected-configs.js';
import type { ObjectKey } from '../../src/config/object.js';
import type { Finding } from '../../src/model/finding.js';

function conflict(object: string, field = 'spec.servers[0].port', fields: Partial<Finding> = {}): Finding {
  const key = object as ObjectKey;
  return {
    metric: 'nav_gateway_servers_rejected',
    key: `${object} ${field}`,
    object: key,
    message: `${object}: ${field} is TLS`,
    isConflict: true,
    ...fields,
  };
}

test('each conflict of a Gateway counts once when it appears, under the name of the Gateway', (t) => {
  const counted: string[] = [];
  const rejected = createRejectedConfigs({
    increment: (family, ...[labels]: readonly unknown[]) => void counted.push(`${family} ${JSON.stringify(labels)}`),
  });
  const of = (name: string) => `nav_total_rejected_configs {"type":"gateway","name":"${name}"}`;
  const [a, b] = [conflict('Gateway/edge/a'), conflict('Gateway/edge/b')];
  rejected.observe([a, a, conflict('Gateway/edge/c', 'spec.servers[0]', { isConflict: false })]);
  t.deepEqual(counted, [of('edge/a')]);
  rejected.observe([a, b]);
  t.deepEqual(counted, [of('edge/a'), of('edge/b')]);
  rejected.observe([]);
  rejected.observe([a]);
  t.deepEqual(counted.slice(2), [of('edge/a')]);
  rejected.observe(Array.from({ length: 2_000 }, (_, at) => conflict(`Gateway/edge/g${at}`)));
  t.is(new Set(counted).size, 1_001, 'names of tenants do not make series without end');
});
