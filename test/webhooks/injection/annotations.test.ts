import test from 'ava';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { decide, podOf } from './support/injection.js';

const READINESS = 'readiness.status.sidecar.mesh.internal';
const TRAFFIC = 'traffic.sidecar.mesh.internal';

const ANNOTATIONS: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  'inject.mesh.internal/templates': { good: ['sidecar'], bad: ['', 'gateway', 'sidecar,gateway', '__proto__'] },
  'sidecar.mesh.internal/xdsProtocol': { good: ['sotw', 'delta'], bad: ['', 'Delta', 'DELTA_GRPC'] },
  'sidecar.mesh.internal/onDemand': { good: ['true', 'false'], bad: ['', 'yes', 'TRUE'] },
  'sidecar.mesh.internal/interceptionMode': { good: ['REDIRECT', 'TPROXY', 'NONE'], bad: ['', 'redirect', 'BOTH'] },
  'sidecar.mesh.internal/enableCoreDump': { good: ['true', 'false', '1', 'F'], bad: ['', 'yes', 'TrUe'] },
  'status.sidecar.mesh.internal/port': { good: ['0', '15020', '65535'], bad: ['', '-1', '65536', '80.5', '0x50'] },
  [`${READINESS}/initialDelaySeconds`]: { good: ['0', '4294967295'], bad: ['', '-1', '4294967296', 'soon'] },
  [`${READINESS}/periodSeconds`]: { good: ['2'], bad: ['2s'] },
  [`${READINESS}/failureThreshold`]: { good: ['30'], bad: ['1e1'] },
  [`${TRAFFIC}/includeOutboundIPRanges`]: {
    good: ['', '*', '10.0.0.0/8', ' 10.0.0.0/8 , fd00::/8 '],
    bad: ['10.0.0.0', '10.0.0.0/33', '*,10.0.0.0/8', '10.0.0.0/8,', '10.0.0.0/8;iptables', 'fd00::/129', '010.0.0.1/8'],
  },
  [`${TRAFFIC}/excludeOutboundIPRanges`]: { good: ['', '169.254.169.254/32'], bad: ['*', 'example.com/8'] },
  [`${TRAFFIC}/includeInboundPorts`]: { good: ['', '*', '80', '80, 443'], bad: ['http', '0', '80;443', '65536'] },
  [`${TRAFFIC}/excludeInboundPorts`]: { good: ['', '22'], bad: ['*', '-22', '22,'] },
  [`${TRAFFIC}/excludeOutboundPorts`]: { good: ['', '3306'], bad: ['*', '3306 3307'] },
  'policy.mesh.internal/check': { good: ['', 'enable', 'allow-on-error', 'disable'], bad: ['on', 'Enable'] },
  'policy.mesh.internal/checkRetries': { good: ['', '0', '100'], bad: ['-1', '101', '1.5', 'two'] },
  'policy.mesh.internal/checkBaseRetryWaitTime': { good: ['80ms', '24h'], bad: ['80', '0ms', '25h', '1us'] },
  'policy.mesh.internal/checkMaxRetryWaitTime': { good: ['1.5s'], bad: ['soon'] },
  'metrics.mesh.internal/merge-metrics': { good: ['true', 'FALSE'], bad: ['', 'on'] },
};

for (const [name, { good, bad }] of Object.entries(ANNOTATIONS)) {
  test(`${name} accepts ${good.map((value) => JSON.stringify(value)).join(', ')}`, (t) => {
    for (const value of good) t.is(decide(podOf({ annotations: { [name]: value } })).type, 'inject', value);
  });

  for (const value of bad) {
    test(`${name} rejects ${JSON.stringify(value)}`, (t) => {
      const error = t.throws(() => decide(podOf({ annotations: { [name]: value } })), { instanceOf: InjectionError });
      t.is(error?.code, 'INVALID_ANNOTATION');
      t.true(error?.message.startsWith(`invalid value '${value}' for annotation '${name}': `), error?.message);
      t.regex(error?.message ?? '', /(use|write) /);
    });
  }
}

test('a pod on demand may not choose a protocol that cannot do it', (t) => {
  const onDemand = { 'sidecar.mesh.internal/onDemand': 'true' };
  const error = t.throws(
    () => decide(podOf({ annotations: { ...onDemand, 'sidecar.mesh.internal/xdsProtocol': 'sotw' } })),
    { instanceOf: InjectionError },
  );
  t.regex(
    error?.message ?? '',
    /need delta xDS: use delta for annotation 'sidecar\.mesh\.internal\/xdsProtocol', or remove/,
  );
  t.is(decide(podOf({ annotations: { ...onDemand, 'sidecar.mesh.internal/xdsProtocol': 'delta' } })).type, 'inject');
});

test('annotations of a skipped pod are not checked', (t) => {
  const annotations = { 'sidecar.mesh.internal/inject': 'no', 'status.sidecar.mesh.internal/port': 'x' };
  t.is(decide(podOf({ annotations })).type, 'skip');
});

test('a long value is cut in the message', (t) => {
  const annotations = { [`${TRAFFIC}/excludeInboundPorts`]: '9'.repeat(100_000) };
  const error = t.throws(() => decide(podOf({ annotations })), { instanceOf: InjectionError });
  t.true((error?.message.length ?? 0) < 1000);
});

const withConfig = (text: string) => podOf({ annotations: { 'proxy.mesh.internal/config': text } });
const template = 'containers: [{ name: mesh-proxy, image: p, args: [{{ ProxyConfig | toJSON | toJSON }}] }]';

function proxyConfigOf(text: string): Readonly<Record<string, unknown>> {
  const decision = decide(withConfig(text), { config: { template } });
  if (decision.type !== 'inject') throw new Error('skipped');
  const proxy = decision.patch.find(({ path }) => path === '/spec/containers/-');
  if (proxy === undefined || proxy.op === 'remove') throw new Error('no proxy');
  return JSON.parse((proxy.value as { readonly args: readonly string[] }).args[0] ?? '');
}

test('proxy.D/config overrides the defaults of the mesh field by field', (t) => {
  const defaults = proxyConfigOf('{}');
  const merged = proxyConfigOf('concurrency: 7\ndrainDuration: 50s\ntracing: { zipkin: { address: "z:9411" } }\n');
  t.deepEqual(merged, { ...defaults, concurrency: 7, drainDurationMs: 50_000, tracingAddress: 'z:9411' });
  t.deepEqual(proxyConfigOf('concurrency: null'), defaults);
});

for (const [title, text, problem] of [
  ['what is not YAML', 'a: [', /it is not YAML/],
  ['a field of another type', 'concurrency: many', /concurrency: "many": is a string/],
  ['a duration that is none', 'drainDuration: long', /drainDuration: "long": is not a duration/],
  ['an address that is none', 'discoveryAddress: meshd', /discoveryAddress: "meshd": is not an address/],
  ['what is no mapping', 'yes please', /is a string, not an object/],
] as const) {
  test(`proxy.D/config rejects ${title}`, (t) => {
    const error = t.throws(() => decide(withConfig(text)), { instanceOf: InjectionError });
    t.true(error?.message.startsWith(`invalid value '${text}' for annotation 'proxy.mesh.internal/config': `));
    t.regex(error?.message ?? '', problem);
  });
}

test('an unknown field of proxy.D/config causes a warning', (t) => {
  const decision = decide(withConfig('concurency: 3'));
  t.is(decision.type, 'inject');
  if (decision.type !== 'inject') return;
  t.regex(decision.warnings.join('\n'), /concurency: 3: is not a known field; did you mean concurrency\?/);
});
