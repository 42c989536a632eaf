import test from 'ava';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import type { Finding } from '../../../../src/model/finding.js';
import type { Protocol } from '../../../../src/model/service.js';
import { buildContext, buildPort, buildProxy, buildService, MESH } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../../served-resources.js';

/** A service without an address, so that its TCP ports share the wildcard. */
const sharing = (name: string, protocol: Protocol, number = 9000) =>
  buildService({ name, addresses: [], ports: [buildPort({ name: 'port', number, protocol })] });

const generate = (services: Parameters<typeof buildContext>[0], sniffOutbound = true, metadata = {}) =>
  generateAll(
    createListenerGenerator(ENCODER, { ...SETTINGS, sniffOutbound }),
    buildContext(services),
    buildProxy({}, metadata),
  );

const summary = ({ metric, key, message }: Finding) =>
  `${metric.replace('nav_conflict_outbound_listener_', '')} ${key} ${message}`;

interface ConflictCase {
  readonly older: Protocol;
  readonly younger: Protocol;
  readonly finding?: string;
}

const HOST = (name: string) => `${name}.default.svc.cluster.local`;
const CASES: readonly ConflictCase[] = [
  { older: 'http', younger: 'http' },
  { older: 'http', younger: 'tls' },
  { older: 'tls', younger: 'http' },
  { older: 'tls', younger: 'tls' },
  { older: 'auto', younger: 'http' },
  { older: 'auto', younger: 'tls' },
  { older: 'http', younger: 'tcp' },
  { older: 'http', younger: 'auto' },
  { older: 'tcp', younger: 'http' },
  {
    older: 'tcp',
    younger: 'auto',
    finding: `tcp_over_current_tcp 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedTCP=${HOST('older')} RejectedTCP=${HOST('younger')} TCPServices=1`,
  },
  {
    older: 'tcp',
    younger: 'tcp',
    finding: `tcp_over_current_tcp 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedTCP=${HOST('older')} RejectedTCP=${HOST('younger')} TCPServices=1`,
  },
  {
    older: 'tcp',
    younger: 'tls',
    finding: `tcp_over_current_tcp 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedTCP=${HOST('older')} RejectedTCP=${HOST('younger')} TCPServices=1`,
  },
  {
    older: 'auto',
    younger: 'auto',
    finding: `tcp_over_current_tcp 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedTCP=${HOST('older')} RejectedTCP=${HOST('younger')} TCPServices=1`,
  },
];

for (const { older, younger, finding } of CASES) {
  test(`on a shared port, ${younger} after ${older} is ${finding === undefined ? 'no conflict' : 'a conflict'}`, (t) => {
    const { findings } = generate({ services: [sharing('older', older), sharing('younger', younger)] });
    t.deepEqual(findings.map(summary), finding === undefined ? [] : [finding]);
  });
}

const WITHOUT_SNIFFING: readonly ConflictCase[] = [
  {
    older: 'http',
    younger: 'tcp',
    finding: `tcp_over_current_http 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedHTTP=${HOST('older')} RejectedTCP=${HOST('younger')} HTTPServices=1`,
  },
  {
    older: 'tcp',
    younger: 'http',
    finding: `http_over_current_tcp 0.0.0.0:9000 Listener=0.0.0.0:9000 AcceptedTCP=${HOST('older')} RejectedHTTP=${HOST('younger')} TCPServices=1`,
  },
];

for (const { older, younger, finding } of WITHOUT_SNIFFING) {
  test(`without sniffing, ${younger} after ${older} is a conflict on a shared port`, (t) => {
    const { findings } = generate({ services: [sharing('older', older), sharing('younger', younger)] }, false);
    t.deepEqual(findings.map(summary), [finding]);
  });
}

for (const [first, second] of [
  ['tcp', 'http'],
  ['http', 'tcp'],
] as const) {
  test(`on a shared port, ${first} before ${second}: requests have a chain, and the TCP service gets the rest`, (t) => {
    const { resources } = generate({ services: [sharing(`${first}-1`, first), sharing(`${second}-2`, second)] });
    const listener = toJson(resources.find(({ name }) => name === '0.0.0.0_9000') as never);
    t.is(
      at(listener, 'defaultFilterChain.filters.0.typedConfig.cluster'),
      `outbound|9000||${HOST(first === 'tcp' ? 'tcp-1' : 'tcp-2')}`,
    );
    t.is(at(listener, 'filterChains.0.filterChainMatch.transportProtocol'), 'raw_buffer');
    t.is(at(listener, 'filterChains.0.filters.0.typedConfig.rds.routeConfigName'), '9000');
    t.is(at(listener, 'filterChains.1'), undefined);
  });
}

test('the older TCP service keeps the shared port', (t) => {
  const { resources } = generate({ services: [sharing('older', 'tcp'), sharing('younger', 'tcp')] });
  const listener = resources.find(({ name }) => name === '0.0.0.0_9000');
  t.truthy(listener);
  const cluster = listener && at(toJson(listener), 'filterChains.0.filters.0.typedConfig.cluster');
  t.is(cluster, 'outbound|9000||older.default.svc.cluster.local');
});

test('two services at one address and port conflict, whatever their other ports', (t) => {
  const db = (name: string) =>
    buildService({ name, addresses: ['10.96.0.5'], ports: [buildPort({ number: 3306, protocol: 'tcp' })] });
  const { findings } = generate({ services: [db('first'), db('second')] });
  t.deepEqual(findings.map(summary), [
    `tcp_over_current_tcp 10.96.0.5:3306 Listener=10.96.0.5:3306 AcceptedTCP=${HOST('first')} RejectedTCP=${HOST('second')} TCPServices=1`,
  ]);
});

test('the message names ten of many accepted hosts, and counts them all', (t) => {
  const many = Array.from({ length: 12 }, (_, index) => sharing(`web-${index}`, 'http'));
  const { findings } = generate({ services: [...many, sharing('late', 'tcp')] }, false);
  const [message = ''] = findings.map((finding) => finding.message);
  t.true(message.includes(`${HOST('web-9')},… RejectedTCP`));
  t.true(message.endsWith('HTTPServices=12'));
});

test('equal ranges conflict even when they are written differently', (t) => {
  const range = (name: string, cidr: string) =>
    buildService({ name, addresses: [cidr], ports: [buildPort({ number: 9000, protocol: 'tcp' })] });
  const { findings } = generate({ services: [range('first', '172.16.9.9/16'), range('second', '172.16.0.0/16')] });
  t.deepEqual(
    findings.map(({ metric }) => metric),
    ['nav_conflict_outbound_listener_tcp_over_current_tcp'],
  );
});

test('a service port that the sidecar needs itself is refused to the service', (t) => {
  const { resources, findings } = generate({
    services: [sharing('web', 'http', 15001), sharing('db', 'tcp', 15006)],
  });
  const names = resources.map(({ name }) => name);
  t.false(names.includes('0.0.0.0_15001'));
  t.false(names.includes('0.0.0.0_15006'));
  t.deepEqual(
    findings.map(({ metric, key }) => `${metric} ${key}`),
    ['nav_invalid_out_listeners 0.0.0.0:15001', 'nav_invalid_out_listeners 0.0.0.0:15006'],
  );
});

test('a sidecar that binds ports leaves alone those of its workload, of Envoy, and of the forward proxy', (t) => {
  const web = buildService();
  const [port] = web.ports;
  const services = [8080, 15000, 15020, 15007, 9000].map((number) => sharing(`web-${number}`, 'http', number));
  const context = {
    services,
    mesh: { ...MESH, proxyHttpPort: 15007 },
    targets: port === undefined ? [] : [{ service: web, port, targetPort: 8080 }],
  };
  const { resources, findings } = generate(context, true, { interceptionMode: 'NONE' });
  t.deepEqual(
    resources.map(({ name }) => name),
    ['127.0.0.1_9000', '127.0.0.1_15007'],
  );
  t.deepEqual(findings.map(({ key }) => key).sort(), [
    '127.0.0.1:15000',
    '127.0.0.1:15007',
    '127.0.0.1:15020',
    '127.0.0.1:8080',
  ]);
});
