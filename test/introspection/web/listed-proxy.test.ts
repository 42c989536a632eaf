import test from 'ava';
import { MAX_ANSWER_BYTES } from '../../../src/instances/instance-message.js';
import { listedProxyJson } from '../../../src/introspection/web/listed-proxy.js';
import { MAX_PART_SIZE } from '../../../src/introspection/web/table.js';

test('a list of proxies with the longest ids, which all reject all types, fits into the answer of an instance', (t) => {
  const node = 'n'.repeat(2048);
  const proxy = listedProxyJson({
    ...{ id: `${node}-1`, node, name: node, namespace: 'shop', peer: '10.0.0.1:15000', version: '1.30.0' },
    ...{ connectedAt: new Date(0), behind: undefined, instance: undefined },
    state: { type: 'rejected', rejections: Array.from({ length: 8 }, () => 'r'.repeat(4096)) },
  });
  t.true(JSON.stringify(proxy).length * MAX_PART_SIZE < MAX_ANSWER_BYTES);
});
