import test from 'ava';
import { parseOptions } from '../../src/cli/parse-options.js';

const flags = (...entries: readonly (readonly [string, ...string[]])[]) =>
  new Map(entries.map(([name, ...texts]) => [name, texts]));

test('without flags and variables every setting has its default, and there are no warnings', (t) => {
  const options = parseOptions(new Map(), {});
  t.deepEqual(options.discovery.grpcAddr, { host: '127.0.0.1', port: 15010 });
  t.deepEqual(options.discovery.registries, ['Orchestrator']);
  t.deepEqual(options.discovery.plugins, ['authn', 'authz', 'health', 'policy']);
  t.is(options.common.keepaliveMaxServerConnectionAgeMs, 2 ** 63 / 1e6);
  t.is(options.common.keepaliveIntervalMs, 30_000);
  t.deepEqual(options.common.logTarget, ['stdout']);
  t.deepEqual(options.common.logOutputLevel, [{ scope: 'default', level: 'info' }]);
  t.is(options.environment.navDebounceAfterMs, 100);
  t.is(options.environment.meshDomain, 'mesh.internal');
  t.is(options.environment.validationWebhookConfigName, 'meshd-mesh-system');
  t.deepEqual([...options.explicit], []);
  t.deepEqual(options.unimplemented, []);
  t.deepEqual(options.warnings, []);
});

test('outside a cluster plaintext listeners listen on loopback, unless their flag is set', (t) => {
  const { discovery, environment, loopback } = parseOptions(flags(['httpAddr', ':8080']), {});
  t.deepEqual(environment.dnsAddr, { host: '127.0.0.1', port: 15053 });
  t.deepEqual(parseOptions(new Map(), { DNS_ADDR: ':53' }).environment.dnsAddr, { host: '', port: 53 });
  t.deepEqual(discovery.grpcAddr, { host: '127.0.0.1', port: 15010 });
  t.deepEqual(discovery.policyAddr, { host: '127.0.0.1', port: 15016 });
  t.deepEqual(discovery.httpAddr, { host: '', port: 8080 });
  t.deepEqual(discovery.secureGrpcAddr, { host: '', port: 15012 });
  t.deepEqual(discovery.monitoringAddr, { host: '', port: 15014 });
  t.deepEqual(loopback, [
    { flag: '--grpcAddr', port: 15010 },
    { flag: '--policyAddr', port: 15016 },
    { flag: 'DNS_ADDR', port: 15053 },
  ]);
});

for (const variable of ['KUBERNETES_SERVICE_HOST', 'ORCH_SERVICE_HOST']) {
  test(`in a pod, where ${variable} is set, listeners listen on all interfaces`, (t) => {
    const { discovery, loopback } = parseOptions(new Map(), { [variable]: '10.96.0.1' });
    t.deepEqual(discovery.grpcAddr, { host: '', port: 15010 });
    t.deepEqual(discovery.httpAddr, { host: '', port: 8080 });
    t.deepEqual(discovery.policyAddr, { host: '', port: 15016 });
    t.deepEqual(loopback, []);
  });
}

test('an empty --grpcAddr closes the plaintext listener', (t) => {
  t.is(parseOptions(flags(['grpcAddr', '']), {}).discovery.grpcAddr, undefined);
  t.deepEqual(
    parseOptions(flags(['grpcAddr', '']), {}).loopback.map(({ flag }) => flag),
    ['--httpAddr', '--policyAddr', 'DNS_ADDR'],
  );
});

test('the namespace is that of --namespace, else of POD_NAMESPACE, else mesh-system', (t) => {
  const namespaceOf = (given: Parameters<typeof parseOptions>[0], variables: Record<string, string>) =>
    parseOptions(given, variables).discovery.namespace;
  t.is(namespaceOf(flags(['namespace', 'one']), { POD_NAMESPACE: 'two' }), 'one');
  t.is(namespaceOf(flags(['namespace', '']), { POD_NAMESPACE: 'two' }), 'two');
  t.is(namespaceOf(new Map(), { POD_NAMESPACE: 'two' }), 'two');
  t.is(namespaceOf(new Map(), { POD_NAMESPACE: '' }), 'mesh-system');
});

test('the cluster ID is that of --clusterID, else of CLUSTER_ID', (t) => {
  t.is(parseOptions(flags(['clusterID', 'one']), { CLUSTER_ID: 'two' }).discovery.clusterId, 'one');
  t.is(parseOptions(new Map(), { CLUSTER_ID: 'two' }).discovery.clusterId, 'two');
});

test("--appNamespace has the control plane's namespace appended, once", (t) => {
  const given = flags(['appNamespace', 'one, two', 'three'], ['namespace', 'own']);
  t.deepEqual(parseOptions(given, {}).discovery.appNamespaces, ['one', 'two', 'three', 'own']);
  t.deepEqual(parseOptions(flags(['appNamespace', 'mesh-system']), {}).discovery.appNamespaces, ['mesh-system']);
  t.deepEqual(parseOptions(flags(['appNamespace', '']), {}).discovery.appNamespaces, []);
});

test('VALIDATION_WEBHOOK_CONFIG_NAME is filled with the namespace', (t) => {
  const options = parseOptions(flags(['namespace', 'own']), { VALIDATION_WEBHOOK_CONFIG_NAME: 'x' });
  t.is(options.environment.validationWebhookConfigName, 'x');
  t.is(parseOptions(flags(['namespace', 'own']), {}).environment.validationWebhookConfigName, 'meshd-own');
});

test('string lists accept commas and repeated flags; --log_target only repeated flags', (t) => {
  const given = flags(
    ['registries', 'Mock,Orchestrator'],
    ['plugins', 'health', ' policy'],
    ['log_target', 'stderr', '/tmp/a,b'],
    ['log_output_level', 'ads:debug,all:warn', 'kube:none'],
  );
  const { discovery, common } = parseOptions(given, {});
  t.deepEqual(discovery.registries, ['Mock', 'Orchestrator']);
  t.deepEqual(discovery.plugins, ['health', 'policy']);
  t.deepEqual(common.logTarget, ['stderr', '/tmp/a,b']);
  t.deepEqual(common.logOutputLevel, [
    { scope: 'ads', level: 'debug' },
    { scope: 'all', level: 'warn' },
    { scope: 'kube', level: 'none' },
  ]);
});

test('a repeated flag has its last value, and each value must be valid', (t) => {
  t.is(parseOptions(flags(['resync', '1s', '2s']), {}).discovery.resyncMs, 2000);
  t.throws(() => parseOptions(flags(['resync', 'x', '2s']), {}), { message: /^--resync must be a duration/ });
});

test('a sampling rate out of range becomes 100 with a warning', (t) => {
  for (const value of ['101', '-0.5', '1e9']) {
    const options = parseOptions(new Map(), { NAV_TRACE_SAMPLING: value });
    t.is(options.environment.navTraceSamplingPercent, 100);
    t.deepEqual(options.warnings, [
      { setting: 'NAV_TRACE_SAMPLING', value, problem: 'out of range 0.0 to 100.0, so 100 is used' },
    ]);
  }
  const fine = parseOptions(new Map(), { NAV_TRACE_SAMPLING: '12.345' });
  t.is(fine.environment.navTraceSamplingPercent, 12.35);
  t.deepEqual(fine.warnings, []);
});

test('a duplicate registry is ignored, with a warning', (t) => {
  const options = parseOptions(flags(['registries', 'Mock,Mock']), {});
  t.deepEqual(options.discovery.registries, ['Mock']);
  t.is(options.warnings[0]?.setting, '--registries');
});

test('a variable of a name that no setting has is reported with the name that was meant, and without its value', (t) => {
  const options = parseOptions(new Map(), {
    NAV_XDS_ACK_TIMOUT: 'secret',
    NAV_WITH_A_NAME_LIKE_NO_OTHER: '1',
    NAV_SERVICE_HOST: '10.0.0.1',
    NAV_PORT_8080_TCP_ADDR: '10.0.0.1',
    NAV_PORT: 'tcp://10.0.0.1:8080',
    NAVIGATOR: '1',
  });
  t.deepEqual(options.warnings, [
    {
      setting: 'NAV_XDS_ACK_TIMOUT',
      problem: 'there is no such variable, so it has no effect; did you mean NAV_XDS_ACK_TIMEOUT?',
    },
    {
      setting: 'NAV_WITH_A_NAME_LIKE_NO_OTHER',
      problem: 'there is no such variable, so it has no effect; --help lists the variables',
    },
  ]);
});

test('settings without effect are listed if they are set', (t) => {
  const given = flags(['registries', 'Catalog'], ['catalogserverURL', 'http://localhost']);
  const options = parseOptions(given, {
    NAV_ENABLE_INCREMENTAL_MCP: '1',
  });
  t.deepEqual(options.unimplemented.map(({ setting }) => setting).sort(), [
    '--catalogserverURL',
    '--registries',
    'NAV_ENABLE_INCREMENTAL_MCP',
  ]);
  t.true(options.unimplemented.every(({ why }) => why.length > 10));
});

test('a setting that turns a missing feature off needs no warning', (t) => {
  const given = flags(['plugins', 'health,policy'], ['registries', 'Mock']);
  const variables = { NAV_ENABLE_TCP_METADATA_EXCHANGE: '0' };
  const options = parseOptions(given, variables);
  t.deepEqual(options.unimplemented, []);
  t.true(options.explicit.has('--registries'));
  t.true(options.explicit.has('NAV_ENABLE_TCP_METADATA_EXCHANGE'));
});

test('settings of implemented features cause no warning', (t) => {
  const given = flags(['configDir', '/mesh'], ['domain', 'a.b'], ['trust-domain', 'td'], ['grpcAddr', '[::1]:0']);
  const variables = { NAV_PUSH_THROTTLE: '7', NAV_ENABLE_KEYVALUE_FILTER: 'T', REVISION: 'canary', POD_NAME: 'p' };
  const options = parseOptions(given, variables);
  t.deepEqual(options.unimplemented, []);
  t.deepEqual(options.discovery.grpcAddr, { host: '::1', port: 0 });
  t.is(options.environment.navPushThrottle, 7);
  t.true(options.environment.navEnableKeyvalueFilter);
});

const BAD_FLAGS: readonly (readonly [string, string, RegExp])[] = [
  ['grpcAddr', '15010', /host:port/],
  ['grpcAddr', ':65536', /port from 0 to 65535/],
  ['grpcAddr', ':-1', /host:port/],
  ['grpcAddr', '::1:80', /\[IPv6\]:port/],
  ['grpcAddr', '[1.2.3.4]:80', /\[IPv6\]:port/],
  ['httpAddr', '', /host:port/],
  ['monitoringAddr', 'a b:1', /host:port/],
  ['introspect_port', '65536', /an integer from 0 to 65535/],
  ['introspect_port', '-1', /an integer from 0 to 65535/],
  ['introspect_address', 'a:1', /an IP address/],
  ['keepaliveInterval', '0s', /a duration of 1ms or more/],
  ['keepaliveTimeout', '10', /a duration such as/],
  ['resync', '-1s', /a duration of 0s or more/],
  ['profile', 'yes', /true or false/],
  ['log_as_json', '', /true or false/],
  ['log_rotate_max_age', '1.5', /an integer from 0/],
  ['log_rotate_max_age', '-1', /an integer from 0/],
  ['log_rotate_max_size', '0', /an integer from 1/],
  ['mcpMaxMsgSize', '4k', /an integer from 1/],
  ['log_output_level', 'ads', /<scope>:<level>/],
  ['log_output_level', 'nope:info', /scope of ads, adsc/],
  ['log_output_level', 'ads:loud', /level of debug, info, warn, error, fatal, none/],
  ['log_output_level', 'ads:info:x', /<scope>:<level>/],
  ['log_stacktrace_level', 'default:trace', /level of debug/],
  ['log_caller', 'ads,nope', /log scopes/],
  ['log_target', '', /stdout, stderr or a file path/],
  ['registries', 'Orchestrator,Consul', /one or more of Orchestrator, Catalog, Mock/],
  ['registries', '', /one or more of/],
  ['plugins', 'authn,mixer', /one of authn, authz, health, policy/],
  ['namespace', 'Not_A_Namespace', /a namespace name/],
  ['appNamespace', 'ok,NOT', /a namespace name/],
  ['domain', 'a..b', /a DNS name/],
  ['trust-domain', 'a b', /letters, digits/],
  ['clusterID', ' ', /not empty/],
  ['catalogserverURL', 'ftp://x', /http:\/\//],
];

for (const [name, value, allowed] of BAD_FLAGS) {
  test(`--${name}=${JSON.stringify(value)} is refused with the flag, the value and the allowed values`, (t) => {
    const error = t.throws(() => parseOptions(flags([name, value]), {}), { name: 'SettingError', code: 'BAD_SETTING' });
    t.true(error.message.startsWith(`--${name} must be `), error.message);
    t.true(error.message.endsWith(`, not ${JSON.stringify(value)}`), error.message);
    t.regex(error.message, allowed);
  });
}

const BAD_VARIABLES: readonly (readonly [string, string, RegExp])[] = [
  ['NAV_HTTP10', 'maybe', /true or false/],
  ['NAV_PUSH_THROTTLE', '0', /an integer from 1/],
  ['NAV_PUSH_THROTTLE', '1e2', /an integer from 1/],
  ['MESH_GPRC_MAXSTREAMS', '4294967296', /an integer from 1 to 4294967295/],
  ['NAV_DEBOUNCE_AFTER', '100', /a duration such as/],
  ['NAV_DEBOUNCE_MAX', '-1s', /0s or more/],
  ['NAV_STATUS_QPS', '0', /greater than 0/],
  ['NAV_STATUS_QPS', 'NaN', /greater than 0/],
  ['NAV_TRACE_SAMPLING', 'half', /a number from 0.0 to 100.0/],
  ['NAV_TRACE_SAMPLING', 'Infinity', /a number from 0.0 to 100.0/],
  ['CA_SELF_SIGNED_CA_RSA_KEY_SIZE', '1024', /an integer from 2048/],
  ['CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE', '101', /0 to 100/],
  ['JWT_POLICY', 'none', /third-party-jwt, first-party-jwt/],
  ['DNS_ADDR', '15053', /host:port/],
  ['DNS_SERVER', 'udp:1.1.1.1', /tcp-tls:/],
  ['SPIFFE_BUNDLE_ENDPOINTS', 'td', /tuples/],
  ['MESH_DOMAIN', 'Mesh', /a DNS name/],
  ['POD_NAMESPACE', 'A', /a namespace name/],
  ['TERMINATION_DRAIN_DURATION_SECONDS', '5s', /an integer from 0/],
];

for (const [name, value, allowed] of BAD_VARIABLES) {
  test(`${name}=${JSON.stringify(value)} is refused with the variable, the value and the allowed values`, (t) => {
    const error = t.throws(() => parseOptions(new Map(), { [name]: value }), { name: 'SettingError' });
    t.true(error.message.startsWith(`${name} must be `), error.message);
    t.true(error.message.endsWith(`, not ${JSON.stringify(value)}`), error.message);
    t.regex(error.message, allowed);
  });
}

test('zero and negative check intervals of the root certificate are allowed', (t) => {
  const options = parseOptions(new Map(), { CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: '-1s' });
  t.is(options.environment.caSelfSignedRootCertCheckIntervalMs, -1000);
});

test('the error of a value with line breaks, or of great length, is one short line', (t) => {
  const error = t.throws(() => parseOptions(flags(['resync', `a\nb\u001b${'x'.repeat(5000)}`]), {}));
  t.false(/\p{Cc}/u.test(error.message));
  t.true(error.message.length < 400);
});

test('an empty variable counts as not set; an empty INJECTION_WEBHOOK_CONFIG_NAME turns patching off', (t) => {
  const { environment, explicit } = parseOptions(new Map(), { INJECTION_WEBHOOK_CONFIG_NAME: '', CLUSTER_ID: '' });
  t.is(environment.injectionWebhookConfigName, '');
  t.is(environment.clusterId, 'Orchestrator');
  t.deepEqual([...explicit], ['INJECTION_WEBHOOK_CONFIG_NAME']);
  t.is(parseOptions(new Map(), {}).environment.injectionWebhookConfigName, 'mesh-sidecar-injector');
});
