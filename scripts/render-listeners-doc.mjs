// Renders docs/reference/listeners.md from the flags and variables that have addresses.
import { commonFlags } from '../build/src/cli/settings/common-flags.js';
import { discoveryFlags } from '../build/src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../build/src/cli/settings/environment-variables.js';

const { grpcAddr, secureGrpcAddr, httpAddr, monitoringAddr, httpsAddr, policyAddr, profile } = discoveryFlags;

/** Callers in the order of trust that they need. */
const LISTENERS = [
  [grpcAddr, 'gRPC, plaintext', 'not authenticated'],
  [secureGrpcAddr, 'gRPC over TLS', 'authenticated ([callers](../callers.md)), unless XDS_AUTH is false'],
  [
    policyAddr,
    'gRPC and HTTP/1.1, plaintext or mutual TLS',
    'by NAV_POLICY_TLS ([policies](../policies.md#who-may-ask))',
  ],
  [httpAddr, 'HTTP', 'pages with configuration answer callers of this machine only ([debug pages](../debug-pages.md))'],
  [monitoringAddr, 'HTTP', 'as --httpAddr'],
  [httpsAddr, 'HTTPS', 'API servers ([webhooks](webhooks.md))'],
  [commonFlags.introspectPort, 'HTTP', 'this machine, unless --introspect_address is set'],
  [environmentVariables.dnsAddr, 'DNS over UDP and TCP', 'not authenticated'],
];

const HEAD = `# Listeners

\`npm run generate\` writes this page from the tables in \`src/cli/settings\`. † marks a listener that is not implemented yet.
[Configuration](../configuration.md#addresses-outside-a-cluster) tells which of them listen on loopback outside a cluster.

| setting | default | protocol | callers | meaning |
|---|---|---|---|---|
`;

/** The whole page, as text. */
export function renderListenersDoc() {
  const rows = LISTENERS.map(([setting, protocol, callers]) => {
    const { name, default: address, meaning } = setting;
    const label = name === name.toUpperCase() ? name : `--${name}`;
    const mark = setting.unimplemented === undefined ? '' : ' †';
    return `| \`${label}\`${mark} | \`${address}\` | ${protocol} | ${callers} | ${meaning} |\n`;
  });
  const paths = `\n\`--${profile.name}\`${profile.unimplemented === undefined ? '' : ' †'}: ${profile.meaning}.\n`;
  return `${HEAD}${rows.join('')}${paths}`;
}
