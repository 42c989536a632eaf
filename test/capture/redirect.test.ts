import anyTest, { type TestFn } from 'ava';
import { runCommand } from '../counterparts/command.js';
import { type ManagedProcess, startManagedProcess } from '../counterparts/managed-process.js';
import { findNamespaceMode } from '../counterparts/namespace-mode.js';
import { createNetwork, type Network, type NetworkNamespace, ROUTER_ADDRESS } from '../counterparts/network.js';
import { programFile } from '../counterparts/program-file.js';
import { eventually } from '../support/eventually.js';

interface Context {
  network: Network;
  /** Where rules are set. */
  pod: NetworkNamespace;
  servers: readonly ManagedProcess[];
}

const mode = findNamespaceMode();
const isPossible = 'value' in mode && mode.value === 'root';
if (!isPossible && process.env['REQUIRE_COUNTERPARTS'] === '1') {
  throw new Error('a counterpart is missing: network namespaces as root');
}
const test = anyTest as TestFn<Context>;
const it = isPossible ? test.serial : test.serial.skip;

const POD = { ipv4: '10.244.0.6', ipv6: 'fd00:1::6' };
const OUTSIDE = { ipv4: ROUTER_ADDRESS, ipv6: 'fd00:1::1' };
/** Responses by listener. */
const POD_PORTS = { 15001: 'outbound proxy', 15006: 'inbound proxy', 15021: 'door', 8080: 'application' };
const OUTSIDE_PORTS = { 80: 'outside', 3306: 'outside' };

interface DnsServer {
  readonly port: number;
  readonly text: string;
}

/** @param dns answers each UDP packet to its port */
function serve(namespace: NetworkNamespace, ports: Readonly<Record<number, string>>, dns: DnsServer): ManagedProcess {
  const program = `
    const ports = ${JSON.stringify(ports)};
    for (const [port, text] of Object.entries(ports)) {
      require('node:net').createServer((socket) => socket.on('error', () => {}).end(text)).listen(port, '::');
    }
    const names = require('node:dgram').createSocket('udp6');
    names.on('message', (_, { port, address }) => names.send(${JSON.stringify(dns.text)}, port, address));
    names.bind(${dns.port}, '::');
    console.log('up');
  `;
  return startManagedProcess({ name: 'servers', command: namespace.enter([process.execPath, '-e', program]) });
}

/** Who answers a connection. @param from address that it is made from, where that matters */
async function call(namespace: NetworkNamespace, user: 'app' | 'proxy', host: string, port: number, from?: string) {
  const options = { host, port, ...(from === undefined ? {} : { localAddress: from }) };
  const program = `require('node:net').connect(${JSON.stringify(options)}).pipe(process.stdout)`;
  return await runCommand(namespace.enter([process.execPath, '-e', program], user));
}

/** Which server answers a UDP packet to port 53. */
async function ask(namespace: NetworkNamespace, user: 'app' | 'proxy', host: string) {
  const type = host.includes(':') ? 'udp6' : 'udp4';
  const program = `
    const socket = require('node:dgram').createSocket('${type}');
    const send = () => socket.send('?', 53, ${JSON.stringify(host)});
    // A network may drop a packet while it looks for a neighbour.
    const again = setInterval(send, 1000);
    socket.on('message', (text) => { clearInterval(again); process.stdout.write(text); socket.close(); });
    send();
  `;
  return await runCommand(namespace.enter([process.execPath, '-e', program], user));
}

test.before(async (t) => {
  if (!isPossible) return;
  const network = await createNetwork('root');
  const pod = await network.addWorkload({ name: 'pod', address: POD.ipv4, captured: false });
  const address = (cidr: string, device: string) => ['ip', '-6', 'address', 'add', cidr, 'dev', device, 'nodad'];
  await runCommand(network.router.enter(address(`${OUTSIDE.ipv6}/64`, 'veth1')));
  await runCommand(pod.enter(address(`${POD.ipv6}/64`, 'eth0')));
  const main = programFile('navigator-discovery');
  const flags = ['--excludeInboundPorts=15021', '--excludeOutboundPorts=3306', '--captureDNS'];
  await runCommand(pod.enter([process.execPath, main, 'capture-traffic', ...flags]));
  const servers = [
    serve(pod, POD_PORTS, { port: 15013, text: 'DNS of the proxy' }),
    serve(network.router, OUTSIDE_PORTS, { port: 53, text: 'DNS outside' }),
  ];
  t.context = { network, pod, servers };
  await eventually('all servers listen', () => servers.every(({ lines }) => lines.includes('up')));
});

test.after.always(async (t) => {
  for (const server of t.context.servers ?? []) await server.stop('SIGKILL');
  await t.context.network?.close();
});

for (const family of ['ipv4', 'ipv6'] as const) {
  const pod = POD[family];
  const outside = OUTSIDE[family];
  const source = family === 'ipv4' ? '127.0.0.6' : '::6';

  it(`${family}: what the application sends goes to the proxy, what the proxy sends goes out`, async (t) => {
    const { pod: namespace } = t.context;
    t.is(await call(namespace, 'app', outside, 80), 'outbound proxy');
    t.is(await call(namespace, 'proxy', outside, 80), 'outside');
    t.is(await call(namespace, 'app', outside, 3306), 'outside', 'the port is excluded');
  });

  it(`${family}: DNS packets of the application go to the proxy, those of the proxy go out`, async (t) => {
    const { pod: namespace } = t.context;
    t.is(await ask(namespace, 'app', outside), 'DNS of the proxy');
    t.is(await ask(namespace, 'proxy', outside), 'DNS outside');
  });

  it(`${family}: what comes in goes to the proxy, but for excluded ports`, async (t) => {
    const { router } = t.context.network;
    t.is(await call(router, 'app', pod, 8080), 'inbound proxy');
    t.is(await call(router, 'app', pod, 15021), 'door');
  });

  it(`${family}: within the pod, the proxy comes in by its own door, and reaches the application`, async (t) => {
    const { pod: namespace } = t.context;
    t.is(await call(namespace, 'proxy', pod, 8080), 'inbound proxy');
    t.is(await call(namespace, 'proxy', pod, 8080, source), 'application');
    t.is(await call(namespace, 'app', pod, 8080), 'application');
    t.is(await call(namespace, 'app', family === 'ipv4' ? '127.0.0.1' : '::1', 8080), 'application');
    t.is(await call(namespace, 'proxy', family === 'ipv4' ? '127.0.0.1' : '::1', 8080), 'application');
  });
}
