// node scripts/webhook-callers.mjs: lets in at the webhooks only the API servers of the cluster of kubectl's context. It
// writes their addresses into manifests/71-webhook-callers.yaml, and applies nothing.
//   --cidr RANGE         in addition, or instead where API servers call from elsewhere; may be repeated
//   --namespace NAME     pods of this namespace call for the API server, such as konnectivity-agent; may be repeated
//   --no-endpoints       leave out the addresses of the Endpoints `kubernetes`
//   --any                every address, as shipped
//   --file PATH, --context NAME, --kubeconfig PATH
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = readFlags();
const file = flags.file ?? join(root, 'manifests/71-webhook-callers.yaml');

try {
  const peers = flags.any ? [] : [...ipBlocks(), ...namespaces()];
  if (!flags.any && peers.length === 0) {
    throw new Error('no caller is left: give --cidr or --namespace, or --any for every address');
  }
  writeFileSync(file, withPeers(readFileSync(file, 'utf8'), peers));
  console.log(peers.length === 0 ? `${file}: from every address` : `${file}:\n  ${peers.join('\n  ')}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function readFlags() {
  const options = {
    any: { type: 'boolean', default: false },
    cidr: { type: 'string', multiple: true, default: [] },
    context: { type: 'string' },
    endpoints: { type: 'boolean', default: true },
    file: { type: 'string' },
    kubeconfig: { type: 'string' },
    namespace: { type: 'string', multiple: true, default: [] },
  };
  try {
    return parseArgs({ options, allowNegative: true }).values;
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function ipBlocks() {
  const found = flags.endpoints ? apiServerAddresses().map((ip) => `${ip}/${isIPv4(ip) ? 32 : 128}`) : [];
  for (const cidr of flags.cidr) {
    const [address, bits, ...rest] = cidr.split('/');
    const isRange = isIP(address) !== 0 && /^\d+$/.test(bits ?? '') && Number(bits) <= (isIPv4(address) ? 32 : 128);
    if (!isRange || rest.length > 0) throw new Error(`--cidr ${cidr} is not a range such as 192.0.2.0/24`);
  }
  return [...new Set([...found, ...flags.cidr])].sort().map((cidr) => `- ipBlock: { cidr: ${cidr} }`);
}

function namespaces() {
  return flags.namespace.map((name) => {
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) throw new Error(`--namespace ${name} is not a namespace`);
    return `- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ${name} } }`;
  });
}

/** API servers keep the EndpointSlice of `default/kubernetes` themselves. */
function apiServerAddresses() {
  const where = ['context', 'kubeconfig'].flatMap((name) => (flags[name] ? [`--${name}`, flags[name]] : []));
  const query = ['-n', 'default', 'get', 'endpointslices', '-l', 'kubernetes.io/service-name=kubernetes', '-o', 'json'];
  const { status, stdout, stderr, error } = spawnSync('kubectl', [...where, ...query], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`kubectl cannot read the endpoints of the API servers: ${error?.message ?? stderr}`);
  const addresses = JSON.parse(stdout).items.flatMap(({ endpoints }) =>
    (endpoints ?? []).flatMap((endpoint) => endpoint.addresses),
  );
  if (addresses.length === 0)
    throw new Error('the Service default/kubernetes has no endpoints: give --no-endpoints and --cidr');
  return addresses;
}

function withPeers(text, peers) {
  const section = /( *# begin: written by [^\n]*\n)[\s\S]*?( *# end: written by )/;
  if (!section.test(text)) throw new Error(`${file} has no section that is "written by scripts/webhook-callers.mjs"`);
  const lines = peers.length === 0 ? '' : `      from:\n${peers.map((peer) => `        ${peer}\n`).join('')}`;
  return text.replace(section, (_, begin, end) => `${begin}${lines}${end}`);
}
