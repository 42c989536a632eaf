// npm start: installs and builds when needed, then serves the sample mesh on loopback, without a cluster.
// Flags of `navigator-discovery discovery` go through: npm start -- --httpAddr 127.0.0.1:9090
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { endWithNpm } from './end-with-npm.mjs';
import { projectRoot, setUp } from './set-up.mjs';
import { bold, cyan, dim, green } from './terminal.mjs';

const READY_TIMEOUT_MS = 60_000;

const DEFAULTS = {
  configDir: 'samples/mesh',
  meshConfig: 'samples/mesh-config.yaml',
  networksConfig: 'samples/mesh-networks.yaml',
  policyConfig: 'samples/policy.yaml',
  grpcAddr: '127.0.0.1:15010',
  httpAddr: '127.0.0.1:8080',
  monitoringAddr: '127.0.0.1:15014',
  policyAddr: '127.0.0.1:15016',
  secureGRPCAddr: '127.0.0.1:15012',
};

/** Names of the addresses in messages. */
const LISTENERS = {
  grpcAddr: 'xDS for Envoy',
  httpAddr: 'debug pages',
  monitoringAddr: 'metrics',
  policyAddr: 'policy checks and reports',
  secureGRPCAddr: 'xDS over TLS',
};

/** The value that a person gave for a flag, as `--flag value` or `--flag=value`. */
function findFlag(args, flag) {
  const index = args.findLastIndex((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`));
  if (index < 0) return undefined;
  const [, value] = args[index].split(/=(.*)/s);
  return value ?? args[index + 1] ?? '';
}

function splitAddress(address) {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host: host === '' ? undefined : host, port: Number(address.slice(colon + 1)) };
}

function asUrl(address) {
  const { host = '127.0.0.1', port } = splitAddress(address);
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}

/** Error code of the system if the address cannot be used; undefined if it is free. */
function tryAddress(address) {
  const { host, port } = splitAddress(address);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => server.close(() => resolve(undefined)));
  });
}

async function checkAddresses(settings) {
  for (const flag of Object.keys(LISTENERS)) {
    const code = await tryAddress(settings[flag]).catch((error) => error.code);
    if (code === undefined) continue;
    const { port } = splitAddress(settings[flag]);
    const why = code === 'EADDRINUSE' ? 'another program listens there' : `the system says ${code}`;
    const other = port < 40_000 ? port + 10_000 : port - 10_000;
    console.error(
      `Cannot serve ${LISTENERS[flag]} on ${settings[flag]}: ${why}. Choose another: npm start -- --${flag} 127.0.0.1:${other}`,
    );
    process.exit(1);
  }
}

async function waitUntilReady(url, isRunning) {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (isRunning() && performance.now() < deadline) {
    const ready = await fetch(`${url}/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return true;
    await delay(25);
  }
  return false;
}

function tellWhatIsServed(settings, startedAt) {
  const debug = asUrl(settings.httpAddr);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const rows = [
    ['mesh', settings.configDir, 'edit a file there: it is served at once'],
    ['xDS', settings.grpcAddr, 'for Envoy: ADS, gRPC, plaintext'],
    ['debug', `${debug}/debug`, 'what the server knows, and which proxy has what'],
    ['policy', settings.policyAddr, `for Envoy: checks and reports; limits in ${settings.policyConfig}`],
    ['metrics', `${asUrl(settings.monitoringAddr)}/metrics`, ''],
  ];
  const looks = [
    ['the services of the mesh', `curl -s ${debug}/debug/registryz`],
    ['their endpoints', `curl -s '${debug}/debug/endpointz?brief=yes'`],
    ['connected proxies', `curl -s ${debug}/debug/syncz`],
    ['real Envoys and traffic', 'npm run demo'],
  ];
  const lines = [
    '',
    `${green('●')} ${bold('navigator-discovery')} serves the sample mesh ${dim(`(ready after ${seconds} s, loopback only, no cluster)`)}`,
    '',
    ...rows.map(([name, where, what]) => `  ${name.padEnd(9)}${cyan(where.padEnd(32))}${dim(what)}`),
    '',
    '  Look at next:',
    ...looks.map(([what, command]) => `  ${dim(what.padEnd(29))}${command}`),
    '',
    dim('  Ctrl-C ends it.'),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const startedAt = performance.now();
const passedOn = process.argv.slice(2);
// Tests have built it, and a build during tests would take away what other tests run.
if (process.env.SKIP_SET_UP !== '1') setUp();

const settings = Object.fromEntries(
  Object.entries(DEFAULTS).map(([flag, value]) => [flag, findFlag(passedOn, flag) ?? value]),
);
const added = Object.keys(DEFAULTS).filter((flag) => findFlag(passedOn, flag) === undefined);
await checkAddresses(settings);

const server = spawn(
  process.execPath,
  [
    'build/programs/navigator-discovery.js',
    'discovery',
    ...added.flatMap((flag) => [`--${flag}`, settings[flag]]),
    ...passedOn,
  ],
  // Analysis reports mistakes in samples/ in the log and on /debug/config_problems.
  { cwd: projectRoot, stdio: 'inherit', env: { NAV_ENABLE_ANALYSIS: 'true', ...process.env } },
);
let running = true;
server.on('error', (error) => console.error(`The server could not be started: ${error.message}`));
server.on('exit', (code, signal) => {
  running = false;
  process.exitCode = code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1);
});
endWithNpm(server);
// A terminal sends Ctrl-C to the server too, and a second signal would end it at once; others signal only us.
process.on('SIGINT', () => process.stdin.isTTY || server.kill('SIGINT'));
process.on('SIGTERM', () => server.kill('SIGTERM'));

if (await waitUntilReady(asUrl(settings.httpAddr), () => running)) tellWhatIsServed(settings, startedAt);
else if (running)
  console.error(`The server is not ready after ${READY_TIMEOUT_MS / 1000} s; its log above says why. Ctrl-C ends it.`);
