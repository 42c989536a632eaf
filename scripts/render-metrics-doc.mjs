// Renders docs/reference/metrics.md from the tables of metric families in src/telemetry/families.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './set-up.mjs';

const SECTIONS = [
  {
    title: 'Pushes and xDS',
    tables: ['pushFamilies'],
    text: `Times are in seconds.

| label | values |
|---|---|
| \`type\` of \`nav_xds_pushes\` and \`nav_xds_push_time\` | \`cds\`, \`eds\`, \`lds\`, \`rds\`, \`ecds\`, \`sds\`; \`api\` for other types. \`nav_xds_pushes\` counts a failed write as \`<type>_senderr\` |
| \`type\` of \`nav_push_triggers\` | the reason of the push: \`endpoint\`, \`config\`, \`service\`, \`proxy\`, \`global\`, \`unknown\`, \`debug\` |
| \`version\` of \`nav_xds\` | node metadata \`MESH_VERSION\`; \`unknown\` without one |
| \`node\`, \`err\` of the reject families | the id of the node, and the name of a gRPC code |

A bounded number of nodes and versions has its own series; the rest is \`other\`.`,
  },
  {
    title: 'Push status',
    tables: [],
    text: `The families with \`conflict\`, \`duplicate\`, \`no_instances\`, \`no_ip\`, \`not_ready\` and \`endpoint_no_pod\` in their names are
gauges of what is wrong with the newest snapshot: each is a number of distinct keys. \`/debug/push_status\` shows each key with a
message. Reading \`/metrics\` computes them, at most every \`NAV_METRICS_MIN_INTERVAL\`. \`nav_invalid_out_listeners\` counts addresses of
services that the sidecar needs itself, such as its own ports.`,
  },
  {
    title: 'Registries and sources',
    tables: ['registryFamilies'],
    text: `\`event\` is \`add\`, \`update\`, \`updatesame\` (nothing that the mesh reads has changed) or \`delete\`. \`type\` of
\`nav_k8s_cfg_events\` is the kind, of \`nav_k8s_reg_events\` \`Services\`, \`Nodes\`, \`Pods\`, \`Namespaces\`, \`Endpoints\` or
\`EndpointSlice\`. \`type\` of \`nav_inbound_updates\` is \`config\`, \`eds\`, \`svc\` or
\`svcdelete\`.`,
  },
  {
    title: 'Certificate authority',
    tables: ['certificateFamilies'],
    text: `\`error\` is CA_NOT_READY, CSR_ERROR, TTL_ERROR or CERT_GEN_ERROR. The two timestamps have no value before there is a
certificate.`,
  },
  {
    title: 'Outgoing calls',
    tables: ['outgoingFamilies'],
    text: `Calls of this process to other servers. A call that repeats a failed one is also a retry.

| \`request_type\` | calls |
|---|---|
| \`api_server\` | requests to API servers: lists, watches until their first byte, writes. The codes 429 and 5xx are failures |
| \`jwks\` | keys of JWT issuers that RequestAuthentications name |
| \`trust\` | documents of TOKEN_ISSUER and of SPIFFE_BUNDLE_ENDPOINTS |
| \`policy\` | Checks and reports that a remote policy server answers |
| \`adapter\` | calls of adapters of your own |
| \`token_exchange\` | OAuth tokens for these calls |`,
  },
  {
    title: 'DNS listener',
    tables: ['dnsFamilies'],
    text: `\`rcode\` is the name of the response code. The limits of \`nav_dns_limits_reached_total\` are in
[dns.md](../dns.md#limits).`,
  },
  { title: 'Callers', tables: ['accessFamilies'] },
  { title: 'HTTP', tables: ['httpFamilies'] },
  {
    title: 'Webhooks',
    tables: ['webhookFamilies'],
    text: `\`reason\` of \`cfgsrv_validation_failed\` is one of those in [webhooks.md](webhooks.md#validation).`,
  },
  {
    title: 'Policy server',
    tables: ['policyServerFamilies', 'policyQuotaFamilies', 'policyAdapterFamilies', 'policyDiscoveryFamilies'],
    text: `Labels with names of services, operations and quotas come from configuration, not from requests. Beyond a bound, further
values are counted together, so that no caller can add time series.`,
  },
  { title: 'Process', tables: ['processFamilies'] },
  {
    title: 'Analysis',
    tables: ['analysisFamilies'],
    text: `The families \`cfgsrv_runtime\` count the analysis (NAV_ENABLE_ANALYSIS), the families \`cfgsrv_source_kube\` the objects
of all clusters.

| family | counts |
|---|---|
| \`…_strategy_on_change_total\` | changes that the analysis has to run for |
| \`…_strategy_timer_resets_total\` | changes that came while an earlier one waited |
| \`…_strategy_timer_quiesce_reached_total\` | pauses before an analysis in which no other change came |
| \`…_strategy_timer_max_time_reached_total\` | pauses in which other changes came |
| \`…_processor_events_processed_total\`, \`…_snapshot_events_total\` | changes that an analysis took into account |
| \`…_processor_snapshots_published_total\`, \`…_snapshot_lifetime_duration_milliseconds\` | analyses, and the time from one to the next |
| \`…_state_type_instances_total\` | objects by kind (\`collection\`) at the last analysis |
| \`…_event_error_total\` | events whose object is invalid (\`invalid\`), or that the model did not take over (\`delivery\`) |`,
  },
  {
    title: 'MCP',
    tables: ['mcpFamilies'],
    text: 'Declared, but not recorded: the MCP source is not implemented.',
  },
  {
    title: 'Handlers, instances and rules',
    tables: ['policyRuntimeFamilies'],
    text: 'Declared, but not recorded: the policy server has no rules yet.',
  },
];

const HEAD = `# Metrics

\`npm run generate\` writes this page from the tables in \`src/telemetry/families\`.

\`/metrics\` serves these families in the Prometheus text format, beside those of Node.js itself. The first scrape shows each
family with its help and type. A family without labels begins at 0, and a series with labels appears with its first value.
\`navigator-policy\` serves only families that it records.

`;

/** The whole page, as text. */
export async function renderMetricsDoc() {
  const tables = await readTables();
  const sections = SECTIONS.map(({ title, tables: names, text }) => {
    const families = names.flatMap((name) => take(tables, name));
    const rows = families.map(row).join('');
    const table = rows === '' ? '' : `\n| family | type | labels | counts or measures |\n|---|---|---|---|\n${rows}`;
    return `## ${title}\n${text === undefined ? '' : `\n${text}\n`}${table}`;
  });
  if (tables.size > 0) throw new Error(`no section of docs/reference/metrics.md has ${[...tables.keys()].join(', ')}`);
  return `${HEAD}${sections.join('\n')}`;
}

async function readTables() {
  const folder = join(projectRoot, 'build/src/telemetry/families');
  const files = readdirSync(folder).filter((name) => name.endsWith('-families.js'));
  const modules = await Promise.all(files.map((file) => import(join(folder, file))));
  return new Map(modules.flatMap((module) => Object.entries(module)));
}

function take(tables, name) {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`src/telemetry/families has no table ${name}`);
  tables.delete(name);
  return Object.entries(table);
}

function row([name, { type, help, labels, buckets }]) {
  const bounds = buckets === undefined ? '' : ` Buckets: ${buckets.join(', ')}.`;
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${cell(help)}${bounds} |\n`;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}
