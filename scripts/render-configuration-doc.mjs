// Renders docs/configuration.md from the flag and variable tables of src/cli/settings, and the schemas of files.

import { policyVariables } from '../build/src/cli/parse-policy-options.js';
import { captureFlags } from '../build/src/cli/settings/capture-flags.js';
import { commonFlags } from '../build/src/cli/settings/common-flags.js';
import { discoveryFlags } from '../build/src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../build/src/cli/settings/environment-variables.js';
import { policyFlags } from '../build/src/cli/settings/policy-flags.js';
import { requestFlags } from '../build/src/cli/settings/request-flags.js';
import { versionFlags } from '../build/src/cli/settings/version-flags.js';
import { policyServerSchema } from '../build/src/config/policy-server/policy-server-schema.js';

const HEAD = `# Configuration

Written by \`npm run generate\` from the tables that also drive parsing, defaults and \`--help\`.

A bad value stops the start with exit code 1 and one line that names the flag or variable, the value and what is
allowed. Durations are in Go's form: \`300ms\`, \`1.5s\`, \`1h30m\`. Lists are separated by commas, or the flag is
repeated. A setting marked † is accepted, but its feature, or one of its values, has not landed: when it is given, the server
says so once at start. A flag marked ‡ is an addition of this implementation to the command line it was specified with.

## Addresses outside a cluster

The plaintext listeners \`--grpcAddr\`, \`--httpAddr\` and \`--policyAddr\` answer without asking who calls. In a pod (the
variable \`KUBERNETES_SERVICE_HOST\` or \`ORCH_SERVICE_HOST\` is set) their defaults listen on all interfaces. Elsewhere the
defaults listen on 127.0.0.1, and one log line at start names the flags that change it; this departs from the specification,
whose defaults are the same everywhere. A flag that is given is taken as it is. \`--grpcAddr=\` opens no plaintext xDS
listener at all: proxies then use \`--secureGRPCAddr\`.

## Limits of gRPC peers

The flags \`--grpcMax…\` and \`--grpc…Timeout\` bound what a peer takes before its messages have arrived completely, on all
gRPC listeners together. A mesh of 10,000 sidecars behind one address does not meet the defaults. A call that meets one ends
with RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED and a text that names the flag; a connection is closed with GOAWAY. The metric
\`nav_grpc_limits_reached\` counts both by limit, and the log names the peer. Compressed messages are refused with
UNIMPLEMENTED: Envoy and gRPC clients do not compress unless told to.

## A folder as the cluster

\`--configDir\` is read recursively (\`.yaml\`, \`.yml\`, \`.json\`; several documents to a file) and watched. It may
hold core \`Service\`, \`Endpoints\`, \`EndpointSlice\`, \`Pod\`, \`Node\` and \`Namespace\` objects, and
\`ServiceEntry\` and \`WorkloadEntry\` of \`networking.mesh.internal/v1beta1\`. The policy kinds of
\`config.mesh.internal/v1alpha2\` are enforced as [policies.md](policies.md) says. What a file said last while it was
good is served until it is good again; what is wrong with it is in the log and on \`/debug/config_problems\`.
Links are followed inside of the folder only, and a file has at most 16 MiB.

With \`--orchconfig\` beside it the services are those of the cluster, and the folder holds the mesh's own kinds alone.
Without \`--configDir\` a cluster is read: that of \`--orchconfig\`, or the one that the process runs in as a pod.

\`--meshConfig\` and \`--networksConfig\` name one YAML file each; both are read again when they change, and a bad
change is reported and ignored. A missing file means the defaults; where a cluster is read, its ConfigMap \`mesh\` in the
control plane's namespace (with REVISION \`mesh-<REVISION>\`) stands for missing files, with the keys \`mesh\` and
\`meshNetworks\`, and is watched. A file wins, also one that comes later; the log says which it is.

## Settings that cannot be used

A setting that cannot be used is never replaced by its default. At a start with a bad \`--meshConfig\`, \`--networksConfig\`,
\`--policyConfig\`, ConfigMap \`mesh\`, or file of the injector (\`config\`, \`values\`), the process ends with exit code 1 and a
message with file or object, key, line and remedy. Where a cluster is read, the last contents that could be used are in
the ConfigMap \`mesh-last-good-settings\` (\`mesh-<REVISION>-last-good-settings\`) of the control plane's namespace: then the
process starts with those, and the log, \`/debug/config_problems\` and the metric \`nav_refused_settings_total\` tell of the
refused content until it is corrected. A content with a password in an address is not kept: use \`passwordFile\`. Files
that are certificates or keys are never kept; a bad one ends the start. Where a setting is given nowhere at a start, its
kept content is removed. While the process runs, a bad change leaves in force what was in force before.
`;

const POLICY_SERVER = `## The policy server's file

\`--policyConfig\` names it. It is read again when it changes: amounts that were used stay used, a changed \`maxAmount\`
holds at once, and a quota whose window or dimensions change begins anew. A bad change is reported and ignored; without
the file every quota is granted.

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

All quotas of a request are charged, or none. In memory each server counts for itself; servers with the same Redis and
\`keyPrefix\` count together, exactly. While Redis cannot be asked, the fail policy of the proxies decides;
\`policy_server_store_up\` and \`policy_server_store_errors_total\` show it. Its keys expire by themselves and hold no value
of a request. Give it \`maxmemory\` and \`maxmemory-policy volatile-lfu\`: a counter that is evicted lets its limit through
again, but with \`noeviction\` a flood of invented keys fills the memory and every charge fails. In memory, a changed
\`storage\` begins anew.

A request without an attribute counts as one with the empty text. Numbers, booleans and IP addresses are counted by how
they are written (\`80\`, \`true\`, \`2001:db8::1\`).
`;

const POLICY_PROCESS = `The policy server as a process of its own, for replicas; it reads the variables
${Object.values(policyVariables)
  .map(({ name }) => `\`${name}\``)
  .join(', ')}, and takes the flags
of every command. \`/ready\` answers 200 once the policies of the mesh have come from discovery, and the store of quotas
has been reached once. It stays ready whatever is lost later: without discovery the last policies hold; without the
store the fail policy of the proxy or service answers, as it would at every other replica.
`;

const CAPTURE = `What the init container of an injected pod runs: it sends the TCP traffic of its own network namespace through the proxy,
with the nat rules of \`iptables\` and \`ip6tables\`, and writes the files that Envoy follows its certificates by. Run again,
it does the same.
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
    '## Flags of `request`\n',
    flagTable(requestFlags),
    '## Flags of `version`\n',
    flagTable(versionFlags),
    '## Flags of every command\n',
    flagTable(commonFlags),
    '## Environment variables\n',
    table(
      ['variable', 'type', 'default', 'meaning'],
      variables.map((variable) => [
        `\`${variable.name}\`${mark(variable)}`,
        variable.type.name,
        code(variable.default),
        variable.meaning + (variable.whenUnset === undefined ? '' : `; when not set: ${variable.whenUnset}`),
      ]),
    ),
    POLICY_SERVER,
    table(['field', 'type', 'default', 'meaning'], [...fieldRows(policyServerSchema, '')]),
  ].join('\n');
}

function flagTable(flags) {
  return table(
    ['flag', 'type', 'default', 'meaning'],
    Object.values(flags).map((flag) => [
      `\`--${flag.name}\`${flag.shorthand === undefined ? '' : `, \`-${flag.shorthand}\``}${mark(flag)}`,
      flag.type.name,
      code(flag.default),
      flag.meaning,
    ]),
  );
}

/** One row per field of a file, those of nested ones behind it. */
function* fieldRows(schema, prefix) {
  for (const [name, field] of Object.entries(schema.properties)) {
    const path = `${prefix}${name}`;
    const isLeaf = field.properties === undefined && field.items?.properties === undefined;
    const fallback =
      isLeaf && field.default !== undefined ? JSON.stringify(field.default).replace(/^"(.*)"$/, '$1') : '';
    yield [`\`${path}\``, fieldType(field), code(fallback === '[]' ? '' : fallback), field.description];
    if (field.properties !== undefined) yield* fieldRows(field, `${path}.`);
    if (field.items?.properties !== undefined) yield* fieldRows(field.items, `${path}[].`);
  }
}

function fieldType(field) {
  if (field.enum !== undefined) return field.enum.join(', ');
  if (field.type === 'array') return field.items.type === 'object' ? 'list' : `list of ${field.items.type}s`;
  if (field.type === 'object') return field.additionalProperties === undefined ? 'fields' : 'map of strings';
  return field.type;
}

function mark(setting) {
  return `${setting.unlanded === undefined ? '' : ' †'}${setting.addition === true ? ' ‡' : ''}`;
}

function code(text) {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
