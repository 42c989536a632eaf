import test from 'ava';
import { parseOptions } from '../../../src/cli/parse-options.js';
import { parsePolicyOptions, policyVariables } from '../../../src/cli/parse-policy-options.js';
import { commonFlags } from '../../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../../src/cli/settings/environment-variables.js';
import { policyFlags } from '../../../src/cli/settings/policy-flags.js';
import type { Setting } from '../../../src/cli/settings/setting.js';
import { SettingError } from '../../../src/cli/settings/setting-error.js';

/** Texts that are invalid for every type, except for types that accept any text. */
const WRONG = ['§ wrong §', ' '];

/**
 * Settings that take any text: names, paths, patterns and words without a fixed set. Nothing of them is replaced by a
 * default. A new setting belongs here only when every text has the effect that it says; otherwise give it a type.
 */
const TAKES_ANY_TEXT: ReadonlySet<string> = new Set([
  '--caCertFile',
  '--configDir',
  '--discoveryClientCert',
  '--discoveryClientKey',
  '--discoveryRootCert',
  '--discoveryServerName',
  '--discoveryTokenFile',
  '--log_rotate',
  '--meshConfig',
  '--networksConfig',
  '--orchconfig',
  '--policyConfig',
  '--tlsCertFile',
  '--tlsKeyFile',
  'AUDIENCE',
  'DNS_AGENT',
  'INGRESS_GATEWAY_NAMESPACE',
  'INJECTION_WEBHOOK_CONFIG_NAME',
  'MESHD_CUSTOM_HOST',
  'MESH_METRICS_ANNOTATIONS',
  'NAV_ADAPTER_CREDENTIALS_DIR',
  'NAV_CERT_PROVIDER',
  'NAV_CREDENTIALS_DIR',
  'NAV_DNS_SERVER_CA_FILE',
  'NAV_WEBHOOK_CLIENT_CA_FILE',
  'ORCH_SERVICE_HOST',
  'OTEL_SERVICE_NAME',
  'POD_NAME',
  'POD_UID',
  'ROOT_CA_DIR',
  'SECRET_WATCHER_RESYNC_PERIOD',
  'TOKEN_ISSUER',
]);

const onlyWrong = (setting: Setting<unknown>): string | undefined =>
  WRONG.find((text) => !setting.type.parse([text]).ok);

const flagsOf = (name: string, text: string): ReadonlyMap<string, readonly string[]> => new Map([[name, [text]]]);
type Read = (name: string, text: string) => unknown;

const readDiscoveryFlag: Read = (name, text) => parseOptions(flagsOf(name, text), {});
const readPolicyFlag: Read = (name, text) =>
  parsePolicyOptions(new Map([['discoveryAddress', ['127.0.0.1:1']], ...flagsOf(name, text)]), {});
const TABLES: readonly (readonly [program: string, table: object, label: (name: string) => string, read: Read])[] = [
  ['discovery', { ...discoveryFlags, ...commonFlags }, (name) => `--${name}`, readDiscoveryFlag],
  ['discovery', environmentVariables, (name) => name, (name, text) => parseOptions(new Map(), { [name]: text })],
  ['navigator-policy', { ...policyFlags, ...commonFlags }, (name) => `--${name}`, readPolicyFlag],
  [
    'navigator-policy',
    policyVariables,
    (name) => name,
    (name, text) => parsePolicyOptions(flagsOf('discoveryAddress', '127.0.0.1:1'), { [name]: text }),
  ],
];

for (const [program, table, labelOf, read] of TABLES) {
  for (const setting of Object.values(table) as readonly Setting<unknown>[]) {
    const label = labelOf(setting.name);
    const wrong = onlyWrong(setting);
    test(`${label} of ${program} with a wrong value ends the start and is named with what is allowed, or takes any text`, (t) => {
      if (wrong === undefined) {
        t.true(TAKES_ANY_TEXT.has(label), 'this setting takes every text: give it a type, or list it with a reason');
        t.notThrows(() => read(setting.name, WRONG[0] ?? ''));
        return;
      }
      t.false(TAKES_ANY_TEXT.has(label), 'this setting refuses texts by now');
      const error = t.throws(() => read(setting.name, wrong), { instanceOf: SettingError });
      t.is(error?.setting, label);
      t.true(error?.message.startsWith(`${label} must be `));
      t.true(error?.message.endsWith(`, not ${JSON.stringify(wrong)}`));
      t.true((error?.message.length ?? 0) > `${label} must be , not ${JSON.stringify(wrong)}`.length + 3);
    });
  }
}
