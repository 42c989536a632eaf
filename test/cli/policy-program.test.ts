import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import type { PolicyOptions } from '../../src/bootstrap/options.js';
import { policyProgram } from '../../src/cli/policy-program.js';
import { run } from '../../src/cli/run.js';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { policyFlags } from '../../src/cli/settings/policy-flags.js';

interface Given {
  readonly env?: Record<string, string>;
  readonly startPolicy?: (options: PolicyOptions) => Promise<void>;
}

async function runLine(argv: readonly string[], { env = {}, startPolicy }: Given = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const environment = {
    env,
    stdin: new PassThrough(),
    stdout,
    stderr,
    colorDepth: 1,
    loadPolicy: async () => startPolicy ?? (() => Promise.reject(new Error('not to be started'))),
  };
  const code = await run(argv, environment, policyProgram);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

async function optionsOf(argv: readonly string[], env: Record<string, string> = {}): Promise<PolicyOptions> {
  const started: PolicyOptions[] = [];
  const { stderr } = await runLine(argv, { env, startPolicy: async (options) => void started.push(options) });
  const [options] = started;
  if (options === undefined) throw new Error(`the server was not started: ${stderr}`);
  return options;
}

test('serve starts the policy server with its defaults', async (t) => {
  const { policy, unimplemented, warnings } = await optionsOf(['serve'], { KUBERNETES_SERVICE_HOST: '10.96.0.1' });
  t.deepEqual(policy, {
    discoveryAddress: 'meshd.mesh-system.svc:15012',
    discoveryClientCertFile: '',
    discoveryClientKeyFile: '',
    discoveryRootCertFile: './var/run/secrets/mesh/root-cert.pem',
    discoveryServerName: '',
    discoveryTokenFile: './var/run/secrets/tokens/mesh-token',
    domain: 'cluster.local',
    monitoringAddr: { host: '', port: 15014 },
    namespace: 'mesh-system',
    policyAddr: { host: '', port: 15016 },
    policyConfigFile: './etc/mesh/config/policy',
    policyTls: 'permissive',
  });
  t.deepEqual([unimplemented, warnings], [[], []]);
});

test('outside a cluster the policy server listens on loopback, unless --policyAddr is set', async (t) => {
  const { policy, loopback } = await optionsOf(['serve']);
  t.deepEqual(policy.policyAddr, { host: '127.0.0.1', port: 15016 });
  t.deepEqual(loopback, [{ flag: '--policyAddr', port: 15016 }]);
  const given = await optionsOf(['serve', '--policyAddr', ':15016']);
  t.deepEqual(given.policy.policyAddr, { host: '', port: 15016 });
  t.deepEqual(given.loopback, []);
});

test('serve accepts its own flags and the common flags', async (t) => {
  const { policy, common } = await optionsOf([
    ...['serve', '--discoveryAddress', '[::1]:15010', '--policyAddr', '127.0.0.1:0', '--policyConfig=/etc/policy.yaml'],
    ...['--monitoringAddr', '127.0.0.1:0', '--domain', 'a.b', '--log_as_json'],
  ]);
  t.is(policy.discoveryAddress, '[::1]:15010');
  t.deepEqual(policy.policyAddr, { host: '127.0.0.1', port: 0 });
  t.is(policy.policyConfigFile, '/etc/policy.yaml');
  t.is(policy.domain, 'a.b');
  t.true(common.logAsJson);
});

test('the namespace is that of --namespace, else POD_NAMESPACE, else mesh-system', async (t) => {
  const env = { POD_NAMESPACE: 'pod' };
  t.is((await optionsOf(['serve', '-n', 'own'], env)).policy.namespace, 'own');
  t.is((await optionsOf(['serve'], env)).policy.namespace, 'pod');
  t.is((await optionsOf(['serve', '--namespace='], env)).policy.namespace, 'pod');
});

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['serve', '--discoveryAddress', ':15010'], /--discoveryAddress must be host:port .* not ":15010"/],
  [
    ['serve', '--discoveryAddress', 'meshd:0'],
    /--discoveryAddress must be host:port .* from 1 to 65535, not "meshd:0"/,
  ],
  [['serve', '--discoveryAddress', 'meshd'], /--discoveryAddress must be host:port/],
  [['serve', '--grpcAddr', ':1'], /"--grpcAddr" is not a flag: see navigator-policy <command> --help/],
  [['serve', '--short'], /"--short" is not a flag of serve: see navigator-policy serve --help/],
  [['serve', 'now'], /serve accepts only flags, not the argument "now"/],
  [['discovery'], /"discovery" is not a command: the commands are serve, version/],
];

for (const [argv, message] of REFUSED) {
  test(`navigator-policy exits with 1 and one line for: ${argv.join(' ')}`, async (t) => {
    const { code, stdout, stderr } = await runLine(argv);
    t.is(code, 1);
    t.is(stdout, '');
    t.regex(stderr, message);
    t.regex(stderr, /^navigator-policy: [^\n]+\n$/);
  });
}

test('serve exits with 1 and one line when the server throws', async (t) => {
  const { code, stderr } = await runLine(['serve'], {
    startPolicy: () => Promise.reject(new Error('cannot listen\n on :15016')),
  });
  t.is(code, 1);
  t.is(stderr, 'navigator-policy: cannot listen on :15016\n');
});

test('help of serve names every flag and the variables that it reads', async (t) => {
  const { code, stdout } = await runLine(['serve', '--help']);
  t.is(code, 0);
  t.true(stdout.includes('Usage:\n  navigator-policy serve [flags]'));
  for (const flag of [...Object.values(policyFlags), ...Object.values(commonFlags)]) {
    t.true(stdout.includes(`--${flag.name} ${flag.type.name}`), flag.name);
  }
  t.deepEqual(stdout.split('Environment variables:\n')[1]?.match(/^ {2}\w+/gm), [
    '  BYPASS_OOP_MTLS_SAN_VERIFICATION',
    '  NAV_ADAPTER_CREDENTIALS_DIR',
    '  NAV_EGRESS_ALLOWED',
    '  NAV_METRICS_MIN_INTERVAL',
    '  NAV_POLICY_CONFIG_DEFAULTS',
    '  NAV_REGEX_EXPRESSION_BYTES',
    '  NAV_REGEX_MESSAGE_BYTES',
    '  NAV_REGEX_PROGRAMS_BYTES',
    '  NAV_REGEX_SERVICE_BYTES',
    '  POD_NAMESPACE',
  ]);
});

test('without a command, the binary shows its commands', async (t) => {
  const { code, stdout } = await runLine([]);
  t.is(code, 0);
  for (const command of ['serve', 'version']) t.true(stdout.includes(`navigator-policy ${command}`));
  t.false(stdout.includes('navigator-discovery'));
});

test('both binaries print the same version', async (t) => {
  t.regex((await runLine(['version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});
