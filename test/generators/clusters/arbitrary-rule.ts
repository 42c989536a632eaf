import fc from '../../support/property-testing.js';

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/);
const limit = fc.constantFrom(0, 1, 1024, 2_147_483_647);
const time = fc.constantFrom('1ms', '1.5s', '10m', '8760h');
const percent = fc.constantFrom(0, 1, 50, 100);
const keepalive = fc.constantFrom('1ms', '1s', '32767s');
const any = <Fields extends object>(fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) =>
  fc.record(fields, { requiredKeys: [] });
const some = <Fields extends object>(fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) =>
  any(fields).filter((value) => Object.keys(value).length > 0);

/** Odd names too: those that validation accepts must be good for Envoy. */
const name = fc.oneof(token, fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }), fc.constant(':path'));

const hash = fc
  .tuple(
    fc.oneof(
      fc.record({ httpHeaderName: name }),
      fc.record({ httpQueryParameterName: name }),
      fc.record({ useSourceIp: fc.constant(true) }),
      fc.record({
        httpCookie: fc.record(
          { name, path: fc.string({ maxLength: 20 }), ttl: fc.constantFrom('0s', '1ms', '87600h') },
          { requiredKeys: ['name', 'ttl'] },
        ),
      }),
    ),
    any({ minimumRingSize: fc.constantFrom(0, 1, 65_536) }),
  )
  .map(([key, ring]) => ({ ...key, ...ring }));

const region = fc.constantFrom('north', 'south', 'région');
const locality = fc.constantFrom('*', 'north', 'north/*', 'north/a', 'north/a/*', 'south/b/1');
const localityLbSetting = fc.oneof(
  any({ enabled: fc.boolean() }),
  fc.record({
    distribute: fc.array(
      fc.record({
        from: locality,
        to: fc.uniqueArray(locality, { minLength: 1, maxLength: 2 }).map((keys) => {
          const share = keys.length === 1 ? [100] : [0, 100];
          return Object.fromEntries(keys.map((key, at) => [key, share[at] ?? 0]));
        }),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({ failover: fc.array(fc.record({ from: region, to: region }), { maxLength: 3 }) }),
);

const loadBalancer = fc
  .tuple(
    fc.oneof(
      fc.record({ simple: fc.constantFrom('ROUND_ROBIN', 'LEAST_CONN', 'RANDOM', 'PASSTHROUGH') }),
      fc.record({ consistentHash: hash }),
    ),
    any({ localityLbSetting }),
  )
  .map(([balancer, localities]) => ({ ...balancer, ...localities }));

const connectionPool = some({
  tcp: some({
    maxConnections: limit,
    connectTimeout: time,
    tcpKeepalive: any({ probes: fc.constantFrom(0, 1, 127), time: keepalive, interval: keepalive }),
  }),
  http: some({
    http1MaxPendingRequests: limit,
    http2MaxRequests: limit,
    maxRequestsPerConnection: limit,
    maxRetries: limit,
    idleTimeout: time,
    h2UpgradePolicy: fc.constantFrom('DEFAULT', 'DO_NOT_UPGRADE', 'UPGRADE'),
  }),
});

const outlierDetection = any({
  consecutiveErrors: limit,
  consecutiveGatewayErrors: limit,
  consecutive5xxErrors: limit,
  interval: time,
  baseEjectionTime: time,
  maxEjectionPercent: percent,
  minHealthPercent: percent,
});

/** Paths below /etc/certs stand for files that the Envoy of a test has. */
const names = { subjectAltNames: fc.array(name, { maxLength: 2 }), sni: name };
const tls = fc.oneof(
  fc.record({ mode: fc.constant('DISABLE') }),
  fc.record({ mode: fc.constant('MESH_MUTUAL'), ...names }, { requiredKeys: ['mode'] }),
  fc.record(
    { mode: fc.constant('SIMPLE'), caCertificates: fc.constant('/etc/certs/roots.pem'), ...names },
    { requiredKeys: ['mode', 'caCertificates'] },
  ),
  fc.record({ mode: fc.constantFrom('SIMPLE', 'MUTUAL'), credentialName: token }),
  fc.record({
    mode: fc.constant('MUTUAL'),
    clientCertificate: fc.constant('/etc/certs/client.pem'),
    privateKey: fc.constant('/etc/certs/key.pem'),
  }),
);

const parts = { loadBalancer, connectionPool, outlierDetection, tls };
const portLevelSettings = fc.array(
  fc.tuple(fc.constantFrom(80, 81), some(parts)).map(([number, settings]) => ({ port: { number }, ...settings })),
  { maxLength: 2 },
);
const trafficPolicy = some({ ...parts, portLevelSettings });

/** `spec` of a DestinationRule without its host. Some of them break a rule of validation. */
export const arbitraryRule = any({
  trafficPolicy,
  subsets: fc.array(
    fc.record(
      { name, labels: fc.dictionary(token, token, { maxKeys: 2 }), trafficPolicy },
      { requiredKeys: ['name', 'labels'] },
    ),
    { maxLength: 3 },
  ),
});
