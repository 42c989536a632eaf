import test from 'ava';
import { createRuleRig } from './rule-rig.js';

const HANDLERS = 1000;
const MIB = 1024 * 1024;

test('a thousand handlers of a tenant reserve little memory, and those that cannot run do not flood the log', (t) => {
  const rig = createRuleRig({ openStore: () => failingStore() });
  const before = process.memoryUsage().arrayBuffers;
  rig.apply(
    [
      'instance shop/q {compiledTemplate: quota, params: {dimensions: {path: request.path}}}',
      ...Array.from({ length: HANDLERS }, (_, at) => objectsOf(at)),
    ].join('\n'),
  );
  const mib = (process.memoryUsage().arrayBuffers - before) / MIB;
  t.true(mib < 100, `${mib.toFixed(0)} MiB`);
  const lines = rig.log.filter(({ level }) => level === 'error');
  t.is(lines.length, 21, 'twenty handlers, and the number of the others');
  t.is(rig.handler.failures().size, HANDLERS);
});

function objectsOf(at: number): string {
  const quotas = 'quotas: [{name: q, maxAmount: 2, validDuration: 10s}]';
  return `handler shop/m${at} {compiledAdapter: memquota, params: {${quotas}}}
  handler shop/r${at} {compiledAdapter: redisquota, params: {redisServerUrl: redis.shop:6379, ${quotas}}}
  rule shop/r${at} {actions: [{handler: m${at}, instances: [q]}, {handler: r${at}, instances: [q]}]}`;
}

function failingStore(): never {
  throw new Error('no Redis is reached here');
}
