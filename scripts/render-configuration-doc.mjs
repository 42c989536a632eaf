// Renders docs/configuration.md from the flag and variable tables of src/cli/settings, and the schemas of files.

import { requestFlags } from '../build/src/cli/commands/request-command.js';
import { versionFlags } from '../build/src/cli/commands/version-command.js';
import { policyVariables } from '../build/src/cli/parse-policy-options.js';
import { analyzeFlags, sharedAnalyzeFlags } from '../build/src/cli/settings/analyze-flags.js';
import { captureFlags } from '../build/src/cli/settings/capture-flags.js';
import { commonFlags } from '../build/src/cli/settings/common-flags.js';
import { discoveryFlags } from '../build/src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../build/src/cli/settings/environment-variables.js';
import { grpcAgentFlags } from '../build/src/cli/settings/grpc-agent-flags.js';
import { grpcBootstrapFlags, grpcBootstrapVariables } from '../build/src/cli/settings/grpc-bootstrap-settings.js';
import { outputFlags } from '../build/src/cli/settings/output-flags.js';
import { policyFlags } from '../build/src/cli/settings/policy-flags.js';
import { policyWhyFlags, sharedPolicyWhyFlags } from '../build/src/cli/settings/policy-why-flags.js';
import { serverFlags } from '../build/src/cli/settings/server-flags.js';
import { meshConfigSchema, UNUSED_MESH_CONFIG_FIELDS } from '../build/src/config/mesh/mesh-config-schema.js';
import { meshNetworksSchema } from '../build/src/config/mesh/mesh-networks.js';
import { policyServerSchema } from '../build/src/config/policy-server/policy-server-schema.js';
import { LOG_LEVELS, LOG_SCOPES } from '../build/src/telemetry/logging-options.js';

const LOGS = `Log scopes: ${names(LOG_SCOPES)}. \`all\` in a list of levels stands for every scope.

Log levels: ${names(LOG_LEVELS)}. \`none\` turns a scope off.
`;

function names(list) {
  return list.map((name) => `\`${name}\``).join(', ');
}

const HEAD = `# Configuration

\`npm run generate\` writes this page from the tables that also drive parsing, defaults and \`--help\`.

- An invalid value stops the start with exit code 1. One line names the flag or variable, the value, and the allowed values.
- A variable that begins with \`NAV_\` and that no table has is ignored. The server logs \`setting not used as written\` with its
  name, and the name that was probably meant.
- Durations have the form \`300ms\`, \`1.5s\`, \`1h30m\`. Lists are comma-separated, or the flag is repeated.
- † marks a setting that is accepted, but has no effect for some or all values. Its row has the reason. If you set it, the server
  logs a warning with the reason at start.
- ‡ marks a setting that only Navigator has. The other settings have the names and meanings of earlier control planes of this
  kind.

## Addresses outside a cluster

The plaintext listeners \`--grpcAddr\`, \`--httpAddr\` and \`--policyAddr\` do not authenticate their callers.

| where the process runs | default |
| --- | --- |
| in a pod (\`KUBERNETES_SERVICE_HOST\` or \`ORCH_SERVICE_HOST\` is set) | they listen on all interfaces |
| elsewhere | they listen on 127.0.0.1, and one log line at start names the flags that change it |

The second row keeps a server on a developer's machine from being open to the network. An address that you set is always used as
it is. \`--grpcAddr=\` opens no plaintext xDS listener; proxies then use \`--secureGRPCAddr\`.

## Limits of gRPC peers

The flags \`--grpcMax…\` and \`--grpc…Timeout\` limit the resources that a peer can use before its messages are complete. They
apply to all gRPC listeners together. A mesh of 10,000 sidecars behind one address stays below the defaults.

- A call beyond a limit ends with RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED, and a text that names the flag. A connection beyond a
  limit is closed with GOAWAY.
- The metric \`nav_grpc_limits_reached\` counts both by limit, and the log names the peer.
- Compressed messages are rejected with UNIMPLEMENTED. Envoy and gRPC clients do not compress by default.

## A folder as the cluster

\`--configDir\` names a folder. The server reads it recursively and watches it. Files are \`.yaml\`, \`.yml\` or \`.json\`, with one
or more documents and at most 16 MiB. Symbolic links are followed only inside the folder. The folder may hold:

| group | kinds |
| --- | --- |
| core | \`Service\`, \`Endpoints\`, \`EndpointSlice\`, \`Pod\`, \`Node\`, \`Namespace\` |
| \`networking.mesh.internal/v1beta1\` | \`VirtualService\`, \`DestinationRule\`, \`Gateway\`, \`Sidecar\`, \`ServiceEntry\`, \`WorkloadEntry\`, \`EnvoyFilter\` |
| \`security.mesh.internal/v1beta1\` | \`PeerAuthentication\`, \`RequestAuthentication\`, \`AuthorizationPolicy\` |
| \`config.mesh.internal/v1alpha2\` | the policy kinds, see [policies.md](policies.md) |

Other kinds of Kubernetes and of other products, such as \`ServiceAccount\` and \`Deployment\`, are ignored. Unknown kinds and versions
of the mesh's groups are reported as errors.

If a file becomes invalid, its last valid content stays in force until the file is valid again. The log and
\`/debug/config_problems\` show the error.

| flags | services come from | the mesh's own kinds come from |
| --- | --- | --- |
| \`--configDir\` | the folder | the folder |
| \`--configDir\` and \`--orchconfig\` | the cluster | the folder |
| \`--orchconfig\` | the cluster | the cluster |
| neither | the cluster in whose pod the process runs | the same cluster |

## Mesh config and mesh networks

\`--meshConfig\` and \`--networksConfig\` each name a YAML file. The server reads both again when they change. An invalid change
is reported and ignored.

If a file is missing, the defaults apply. With a cluster, the ConfigMap \`mesh\` in the control plane's namespace replaces missing
files; with REVISION it is \`mesh-<REVISION>\`. Its keys are \`mesh\` and \`meshNetworks\`, and it is watched. A file always wins over
the ConfigMap, even if it is created later. The log names the source in use.

## Settings that cannot be used

A setting that cannot be used is never replaced by its default. This applies to \`--meshConfig\`, \`--networksConfig\`,
\`--policyConfig\`, the ConfigMap \`mesh\`, and the files \`config\` and \`values\` of the injector.

| when the setting becomes unusable | effect |
| --- | --- |
| while the process runs | the last usable content stays in force |
| before a start, with a cluster that has the last usable content | the process starts with that content. The log, \`/debug/config_problems\` and the metric \`nav_refused_settings_total\` report the unusable content until it is corrected |
| before any other start | the process ends with exit code 1, and a message with file or object, key, line and remedy |

The cluster keeps the last usable content in the ConfigMap \`mesh-last-good-settings\`
(\`mesh-<REVISION>-last-good-settings\`) of the control plane's namespace.

- Content with a password in an address is not kept. Use \`passwordFile\` instead.
- Certificates and keys are never kept. An unusable one stops the start.
- If a setting is missing everywhere at a start, its kept content is removed.
`;

/** Fields that are read and that nothing uses. */
const WITHOUT_EFFECT = new Set(UNUSED_MESH_CONFIG_FIELDS);

const MESH_CONFIG = `## Fields of the mesh config

The file of \`--meshConfig\`, or the key \`mesh\` of the ConfigMap \`mesh\`. Every field is optional. Durations have the form
\`10s\`. Fields marked † have no effect. If you set one, the server logs a warning with its name.
`;

const MESH_NETWORKS = `## Fields of the mesh networks

The file of \`--networksConfig\`, or the key \`meshNetworks\` of the ConfigMap \`mesh\`.
`;

const POLICY_SERVER = `## The policy server's file

\`--policyConfig\` names this file. Without it, every quota is granted. The server reads the file again when it changes:

| change | effect |
| --- | --- |
| \`maxAmount\` | applies at once; used units stay used |
| window or dimensions of a quota | the quota starts again with its full amount |
| \`storage\` in memory | all quotas start again |
| invalid content | is reported and ignored |

\`\`\`yaml
quotas:
- name: requests-per-key
  maxAmount: 10
  validDuration: 1m
  dimensions: [request.api_key]
  overrides:
  - dimensions: {request.api_key: gold}
    maxAmount: 1000
storage: {type: redis, address: 'redis://redis.mesh-system:6379/0', passwordFile: /etc/redis/password}
\`\`\`

Either all quotas of a request are charged, or none. With storage in memory, each server counts separately. Servers with the
same Redis and \`keyPrefix\` count together, exactly.

- If Redis does not answer, the fail policy of the proxies decides. \`policy_server_store_up\` and
  \`policy_server_store_errors_total\` show it.
- Redis keys expire by themselves, and contain no value of a request.
- Set \`maxmemory\` and \`maxmemory-policy volatile-lfu\` in Redis. An evicted counter admits its limit again. With \`noeviction\`, a
  flood of invented keys fills the memory, and then every charge fails.
- A request without the attribute of a dimension is counted under the empty text. Numbers, booleans and IP addresses are counted
  in their written form (\`80\`, \`true\`, \`2001:db8::1\`).
`;

const POLICY_PROCESS = `The policy server as a separate process, with replicas. It accepts the flags of every command, and reads these variables:
${Object.values(policyVariables)
  .map(({ name }) => `\`${name}\``)
  .join(', ')}.

\`/ready\` answers 200 once the policies of the mesh have arrived from discovery and the storage of quotas has been reached. It
stays at 200 if either is lost later, because another replica could not answer better. Without discovery, the last policies stay in
force. Without the storage, the fail policy of the proxy or service decides.
`;

const CAPTURE = `The command of an injected pod's init container. It redirects the TCP traffic of its own network namespace to the proxy by nat
rules of \`iptables\` and \`ip6tables\`, and writes the files by which Envoy reloads its certificates. It can run more than once.
`;

const GRPC_BOOTSTRAP = `Writes the bootstrap file of a gRPC library that takes part in the mesh without a proxy ([proxyless gRPC](proxyless-grpc.md)). It
also reads the variables of an injected container, which the second table lists.
`;

const GRPC_AGENT = `A sidecar of a pod without a proxy runs it ([proxyless gRPC](proxyless-grpc.md#mutual-tls)). It makes a key, has it signed by the
control plane, and renews both before the certificate expires and when the root certificates change.
`;

const READ_NEXT = `## Read next

- [settings in a cluster](kubernetes.md#settings)
- [reference](reference/README.md): what the settings change, exactly
`;

/** The whole page, as text. */
export async function renderConfigurationDoc() {
  const variables = Object.values(environmentVariables).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    HEAD,
    '## Flags of `discovery`\n',
    flagTable(discoveryFlags),
    '## Flags of `navigator-policy serve` ‡\n',
    POLICY_PROCESS,
    flagTable(policyFlags),
    '## Flags of `capture-traffic` ‡\n',
    CAPTURE,
    flagTable(captureFlags),
    '## Flags of `grpc-bootstrap` ‡\n',
    GRPC_BOOTSTRAP,
    flagTable(grpcBootstrapFlags),
    table(
      ['variable', 'default', 'meaning'],
      Object.values(grpcBootstrapVariables).map((each) => [`\`${each.name}\``, code(each.default), each.meaning]),
    ),
    '## Flags of `grpc-agent` ‡\n',
    GRPC_AGENT,
    flagTable(grpcAgentFlags),
    '## Flags of `request`\n',
    flagTable(requestFlags),
    '## Flags of `analyze`\n',
    flagTable({ ...analyzeFlags, ...sharedAnalyzeFlags }),
    '## Flags of `proxy-status` and `check` ‡\n',
    flagTable({ ...serverFlags, ...outputFlags }),
    '## Flags of `policy why` ‡\n',
    flagTable({ ...policyWhyFlags, ...sharedPolicyWhyFlags }),
    '## Flags of `version`\n',
    flagTable(versionFlags),
    '## Flags of every command\n',
    flagTable(commonFlags),
    LOGS,
    '## Environment variables\n',
    table(
      ['variable', 'type', 'default', 'meaning'],
      variables.map((variable) => [
        `\`${variable.name}\`${mark(variable)}`,
        variable.type.name,
        code(variable.default),
        variable.meaning +
          (variable.whenUnset === undefined ? '' : `; when not set: ${variable.whenUnset}`) +
          reason(variable),
      ]),
    ),
    MESH_CONFIG,
    table(['field', 'type', 'default', 'meaning'], [...fieldRows(meshConfigSchema, '')]),
    MESH_NETWORKS,
    table(['field', 'type', 'default', 'meaning'], [...fieldRows(meshNetworksSchema, '')]),
    POLICY_SERVER,
    table(['field', 'type', 'default', 'meaning'], [...fieldRows(policyServerSchema, '')]),
    READ_NEXT,
  ].join('\n');
}

function flagTable(flags) {
  return table(
    ['flag', 'type', 'default', 'meaning'],
    Object.values(flags).map((flag) => [
      `\`--${flag.name}\`${flag.shorthand === undefined ? '' : `, \`-${flag.shorthand}\``}${mark(flag)}`,
      flag.type.name,
      code(flag.default),
      flag.meaning + reason(flag),
    ]),
  );
}

/** One row per field of a file, those of nested ones behind it. */
function* fieldRows(schema, prefix) {
  for (const [name, field] of Object.entries(schema.properties)) {
    const path = `${prefix}${name}`;
    const entries = field.additionalProperties?.properties === undefined ? undefined : field.additionalProperties;
    const isLeaf = field.properties === undefined && field.items?.properties === undefined && entries === undefined;
    const fallback =
      isLeaf && field.default !== undefined ? JSON.stringify(field.default).replace(/^"(.*)"$/, '$1') : '';
    if (field.description !== undefined) {
      const unused = WITHOUT_EFFECT.has(path) ? ' †' : '';
      yield [`\`${path}\`${unused}`, fieldType(field), code(fallback === '[]' ? '' : fallback), field.description];
    }
    if (field.properties !== undefined) yield* fieldRows(field, `${path}.`);
    if (field.items?.properties !== undefined) yield* fieldRows(field.items, `${path}[].`);
    if (entries !== undefined) yield* fieldRows(entries, `${path}.<name>.`);
  }
}

function fieldType(field) {
  if (field.enum !== undefined) return field.enum.join(', ');
  if (field.type === 'array') return field.items.type === 'string' ? 'list of strings' : 'list';
  if (field.type !== 'object') return field.type ?? 'any';
  if (field.additionalProperties === undefined) return 'fields';
  return field.additionalProperties.type === 'string' ? 'map of strings' : 'map of fields';
}

/** Why a setting has no effect; of --registries, only the value Catalog has none. */
function reason(setting) {
  const why = setting.unimplemented?.(['Catalog']);
  if (why === undefined) return '';
  return setting.unimplemented('other') === undefined ? `. Catalog has no effect: ${why}` : `. No effect: ${why}`;
}

function mark(setting) {
  return `${setting.unimplemented === undefined ? '' : ' †'}${setting.addition === true ? ' ‡' : ''}`;
}

function code(text) {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
