import test from 'ava';
import type { MeshConfig } from '../../../../src/config/mesh/mesh-config.js';
import { keyOf } from '../../../../src/config/object.js';
import type { Json } from '../../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import { createPolicyPlugin } from '../../../../src/generators/policy/policy-plugin.js';
import type { GeneratorSettings } from '../../../../src/generators/settings.js';
import type { Protocol } from '../../../../src/model/service.js';
import { readObject } from '../../../config/support/read-yaml.js';
import { EVERYTHING_ON, meshWith } from '../../../model/policy/mesh-with.js';
import { peerAuthentication } from '../../../model/security/peer-authentication.js';
import { buildContext, buildPort, buildProxy, buildService, MESH } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { at, CONFIG_ENCODER, ENCODER, generateAll, toJson } from '../../served-resources.js';

const LABELS = { app: 'web' };

interface Case {
  /** Specs of the workload's namespace. */
  readonly specs?: readonly object[];
  readonly ports?: readonly (readonly [Protocol, number])[];
  readonly mesh?: MeshConfig;
  readonly settings?: Partial<GeneratorSettings>;
  readonly hasSecrets?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

function inboundOf({ specs = [], ports = [], mesh = MESH, settings, hasSecrets = true, labels = LABELS }: Case): Json {
  const targets = ports.map(([protocol, targetPort]) => {
    const port = buildPort({ name: `p${targetPort}`, number: targetPort, protocol });
    return { service: buildService({ ports: [port] }), port, targetPort };
  });
  const peerAuthentications = specs.map((spec, index) => peerAuthentication(`default/p${index}`, spec));
  const context = buildContext({ targets, mesh, peerAuthentications });
  const all = { ...SETTINGS, ...settings };
  const policy = createPolicyPlugin(ENCODER, CONFIG_ENCODER, all);
  const generator = createListenerGenerator(ENCODER, all, [policy]);
  const proxy = buildProxy({ hasSecrets }, { labels });
  const listener = generateAll(generator, context, proxy).resources.find(({ name }) => name === 'virtualInbound');
  return listener === undefined ? null : toJson(listener);
}

const chainsOf = (listener: Json) => at(listener, 'filterChains') as Json[];
const namesOf = (listener: Json) => chainsOf(listener).map((chain) => String(at(chain, 'name')));
const chainOf = (listener: Json, name: string) => chainsOf(listener).find((chain) => at(chain, 'name') === name);
const inspectorOf = (listener: Json) =>
  (at(listener, 'listenerFilters') as Json[]).find((filter) => String(at(filter, 'name')).endsWith('tls_inspector'));
const CONTEXT = 'transportSocket.typedConfig';
const VALIDATION = `${CONTEXT}.commonTlsContext.combinedValidationContext`;
const strict = { mtls: { mode: 'STRICT' } };

test('a proxy without a certificate takes plaintext as ever, whatever its mode', (t) => {
  const before = inboundOf({ ports: [['http', 8080]], hasSecrets: false });
  t.deepEqual(inboundOf({ ports: [['http', 8080]], hasSecrets: false, specs: [strict] }), before);
  t.false(JSON.stringify(before).includes('transport_sockets.tls'));
  t.is(inspectorOf(before), undefined);
});

test('a proxy with a certificate is PERMISSIVE by default', (t) => {
  t.deepEqual(namesOf(inboundOf({ ports: [['http', 8080]] })), [
    'virtualInbound-blackhole',
    'virtualInbound-catchall-mtls-http',
    'virtualInbound-catchall-mtls-tcp',
    'virtualInbound-catchall-tls',
    'virtualInbound-catchall-http',
    'virtualInbound-catchall-tcp',
    '0.0.0.0_8080-mtls-http',
    '0.0.0.0_8080',
  ]);
});

test('in STRICT nothing but the black hole is without TLS, ports without a service included', (t) => {
  const listener = inboundOf({
    ports: [
      ['http', 8080],
      ['tcp', 9000],
      ['auto', 7000],
    ],
    specs: [strict],
  });
  const plaintext = chainsOf(listener).filter((chain) => at(chain, 'transportSocket') === undefined);
  t.deepEqual(
    plaintext.map((chain) => at(chain, 'name')),
    ['virtualInbound-blackhole'],
  );
  t.is(at(listener, 'defaultFilterChain'), undefined);
});

test('a port without a service has the mode that it is given, and no other port has', (t) => {
  const selector = { matchLabels: LABELS };
  const open = inboundOf({ specs: [{ selector, ...strict, portLevelMtls: { 9100: { mode: 'DISABLE' } } }] });
  const plaintext = chainsOf(open).filter((chain) => at(chain, 'transportSocket') === undefined);
  t.deepEqual(
    plaintext.map((chain) => [at(chain, 'name'), at(chain, 'filterChainMatch.destinationPort')]),
    [
      ['virtualInbound-blackhole', 15006],
      ['virtualInbound-catchall-9100-http', 9100],
      ['virtualInbound-catchall-9100-tcp', 9100],
    ],
  );
  const closed = inboundOf({
    specs: [{ selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 9100: { mode: 'STRICT' }, 15006: strict.mtls } }],
  });
  const tls = chainsOf(closed).filter((chain) => at(chain, 'transportSocket') !== undefined);
  t.deepEqual([...new Set(tls.map((chain) => at(chain, 'filterChainMatch.destinationPort')))], [9100]);
});

test('a port of a service has the mode of the port that the workload listens on', (t) => {
  const listener = inboundOf({
    ports: [
      ['http', 8080],
      ['http', 8081],
    ],
    specs: [{ selector: { matchLabels: LABELS }, ...strict, portLevelMtls: { 8081: { mode: 'DISABLE' } } }],
  });
  t.deepEqual(namesOf(listener).slice(3), ['0.0.0.0_8080-mtls-http', '0.0.0.0_8081']);
});

test('first bytes are looked at for TLS only on ports that take any', (t) => {
  const rulesOf = (specs: readonly object[]) =>
    JSON.stringify(at(inspectorOf(inboundOf({ ports: [['tcp', 9000]], specs })), 'filterDisabled')) ?? 'none';
  const port = (start: number) => ({ destinationPortRange: { start, end: start + 1 } });
  const selector = { matchLabels: LABELS };
  t.is(rulesOf([strict]), JSON.stringify(port(15006)));
  t.is(
    rulesOf([{ selector, portLevelMtls: { 9000: { mode: 'DISABLE' } } }]),
    JSON.stringify({ orMatch: { rules: [port(9000), port(15006)] } }),
  );
  t.is(
    rulesOf([{ selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 9000: strict.mtls } }]),
    JSON.stringify({ notMatch: port(9000) }),
  );
  t.is(inspectorOf(inboundOf({ specs: [{ mtls: { mode: 'DISABLE' } }] })), undefined);
  // Without sniffing too.
  t.truthy(inspectorOf(inboundOf({ settings: { sniffInbound: false } })));
});

test('TLS is looked for before HTTP is', (t) => {
  const filters = (at(inboundOf({}), 'listenerFilters') as Json[]).map((filter) => String(at(filter, 'name')));
  t.deepEqual(
    filters.map((name) => name.replace('envoy.filters.listener.', '')),
    ['original_dst', 'tls_inspector', 'http_inspector'],
  );
});

test('a client must have a certificate of the trust domain or an alias, by secrets that come by SDS', (t) => {
  const mesh = { ...MESH, trustDomain: 'td@corp', trustDomainAliases: ['old.example.com'] };
  const chain = chainOf(inboundOf({ ports: [['tcp', 9000]], mesh, specs: [strict] }), '0.0.0.0_9000-mtls-tcp');
  t.is(at(chain, `${CONTEXT}.requireClientCertificate`), true);
  t.is(at(chain, `${CONTEXT}.commonTlsContext.tlsCertificateSdsSecretConfigs.0.name`), 'default');
  t.deepEqual(at(chain, `${CONTEXT}.commonTlsContext.tlsCertificateSdsSecretConfigs.0.sdsConfig.ads`), {});
  t.is(at(chain, `${VALIDATION}.validationContextSdsSecretConfig.name`), 'ROOTCA');
  t.deepEqual(at(chain, `${VALIDATION}.defaultValidationContext.matchTypedSubjectAltNames`), [
    { sanType: 'URI', matcher: { prefix: 'spiffe://td.corp/' } },
    { sanType: 'URI', matcher: { prefix: 'spiffe://old.example.com/' } },
  ]);
  t.is(at(chain, `${CONTEXT}.commonTlsContext.alpnProtocols`), undefined);
});

test('--trust-domain stands over that of the mesh config; NAV_SKIP_VALIDATE_TRUST_DOMAIN takes any', (t) => {
  const namesTaken = (settings: Partial<GeneratorSettings>) =>
    at(
      chainOf(inboundOf({ ports: [['http', 8080]], settings }), '0.0.0.0_8080-mtls-http'),
      `${VALIDATION}.defaultValidationContext`,
    );
  t.deepEqual(namesTaken({ trustDomain: 'flag.example.com' }), {
    matchTypedSubjectAltNames: [{ sanType: 'URI', matcher: { prefix: 'spiffe://flag.example.com/' } }],
  });
  t.deepEqual(namesTaken({ skipTrustDomainValidation: true }), {});
});

test('the filters of policies are in every chain of a port, in TLS and in plaintext', (t) => {
  const listener = inboundOf({
    ports: [
      ['http', 8080],
      ['tcp', 9000],
      ['auto', 7000],
    ],
    mesh: meshWith(EVERYTHING_ON),
  });
  const filtersOf = (name: string) => at(chainOf(listener, name), 'filters');
  t.true(JSON.stringify(filtersOf('0.0.0.0_8080')).includes('policy'));
  t.deepEqual(filtersOf('0.0.0.0_8080-mtls-http'), filtersOf('0.0.0.0_8080'));
  t.true(JSON.stringify(filtersOf('0.0.0.0_9000')).includes('policy'));
  for (const kind of ['tls', 'mtls-tcp']) {
    t.deepEqual(filtersOf(`0.0.0.0_9000-${kind}`), filtersOf('0.0.0.0_9000'));
    t.deepEqual(filtersOf(`0.0.0.0_7000-${kind}`), filtersOf('0.0.0.0_7000-tcp'));
  }
  t.deepEqual(filtersOf('0.0.0.0_7000-mtls-http'), filtersOf('0.0.0.0_7000'));
});

test('a proxy that does not say its labels has those of its pod', (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  const spec = { selector: { matchLabels: LABELS }, ...strict };
  const pod = readObject(
    '{apiVersion: v1, kind: Pod, metadata: {name: web-1, labels: {app: web}}, spec: {containers: [{name: app}]}}',
  );
  const context = {
    ...buildContext({ peerAuthentications: [peerAuthentication('default/p', spec)] }),
    objects: new Map([['Pod', new Map([[keyOf(pod), pod]])]]),
  };
  const isStrict = (name: string, labels: Readonly<Record<string, string>>) => {
    const proxy = buildProxy({ hasSecrets: true, name }, { labels });
    const inbound = generateAll(generator, context, proxy).resources.find((each) => each.name === 'virtualInbound');
    return chainOf(inbound ? toJson(inbound) : null, 'virtualInbound-catchall-tcp') === undefined;
  };
  t.true(isStrict('web-1', {}));
  t.true(isStrict('web-2', LABELS));
  t.false(isStrict('web-1', { app: 'other' }));
  t.false(isStrict('web-2', {}));
});

test('workloads share a listener exactly when they take the same', (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  const specs = [{ selector: { matchLabels: { app: 'a' } }, ...strict }];
  const context = buildContext({
    peerAuthentications: specs.map((spec, index) => peerAuthentication(`default/p${index}`, spec)),
  });
  const keyOf = (app: string, hasSecrets = true) => {
    const part = generator.parts.find(({ name }) => name === 'inbound');
    return part?.scope(context, buildProxy({ hasSecrets }, { labels: { app } }))?.key;
  };
  t.not(keyOf('a'), keyOf('b'));
  t.is(keyOf('b'), keyOf('c'));
  t.not(keyOf('b'), keyOf('b', false));
  t.is(keyOf('a', false), keyOf('b', false));
});
