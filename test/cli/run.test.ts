import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { load } from 'js-yaml';
import type { Options } from '../../src/bootstrap/options.js';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { run } from '../../src/cli/run.js';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../src/cli/settings/environment-variables.js';

interface Given {
  readonly env?: Record<string, string>;
  readonly startDiscovery?: (options: Options) => Promise<void>;
  readonly onLoad?: () => void;
}

async function runLine(argv: readonly string[], { env = {}, startDiscovery, onLoad }: Given = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await run(
    argv,
    {
      env,
      stdin: new PassThrough(),
      stdout,
      stderr,
      colorDepth: 1,
      loadDiscovery: async () => {
        onLoad?.();
        return startDiscovery ?? (() => Promise.reject(new Error('not to be started')));
      },
    },
    discoveryProgram,
  );
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

test('discovery starts the server with the parsed options and exits with 0 after it has stopped', async (t) => {
  const started: Options[] = [];
  const { code, stderr } = await runLine(['discovery', '--httpAddr', 'localhost:0', '-n', 'own'], {
    env: { NAV_PUSH_THROTTLE: '3' },
    startDiscovery: async (options) => {
      started.push(options);
    },
  });
  t.is(code, 0, stderr);
  t.is(started.length, 1);
  t.deepEqual(started[0]?.discovery.httpAddr, { host: 'localhost', port: 0 });
  t.is(started[0]?.discovery.namespace, 'own');
  t.is(started[0]?.environment.navPushThrottle, 3);
});

test('discovery exits with 1 and one line when the server throws', async (t) => {
  const { code, stderr } = await runLine(['discovery'], {
    startDiscovery: () => Promise.reject(new Error('port 15010\n  is in use')),
  });
  t.is(code, 1);
  t.is(stderr, 'navigator-discovery: port 15010 is in use\n');
});

test('discovery does not start with an invalid value', async (t) => {
  let started = false;
  const { code } = await runLine(['discovery', '--resync', 'x'], {
    startDiscovery: async () => {
      started = true;
    },
  });
  t.is(code, 1);
  t.false(started);
});

test('the full version is version.BuildInfo{…} with five fields', async (t) => {
  const { stdout } = await runLine(['version', '--short=false']);
  t.regex(
    stdout,
    /^version\.BuildInfo\{Version:"[^"]+", GitRevision:"[^"]+", GolangVersion:"node v[^"]+", BuildStatus:"[^"]+", GitTag:"[^"]+"\}\n$/,
  );
});

test('version has the same content as JSON and as YAML, and YAML ends with an empty line', async (t) => {
  const json = await runLine(['version', '-o', 'json']);
  const yaml = await runLine(['version', '--output=yaml', '-s']);
  const document = JSON.parse(json.stdout);
  t.deepEqual(Object.keys(document.clientVersion), ['version', 'revision', 'golang_version', 'status', 'tag']);
  t.is(json.stdout, `${JSON.stringify(document, undefined, 2)}\n`);
  t.deepEqual(load(yaml.stdout), document);
  t.true(yaml.stdout.endsWith('\n\n'));
});

test('help of discovery names every flag and every variable', async (t) => {
  const { code, stdout } = await runLine(['discovery', '--help']);
  t.is(code, 0);
  for (const flag of [...Object.values(discoveryFlags), ...Object.values(commonFlags)]) {
    t.true(stdout.includes(`--${flag.name} ${flag.type.name}`), flag.name);
  }
  for (const variable of Object.values(environmentVariables)) {
    t.true(stdout.includes(`\n  ${variable.name} ${variable.type.name}`), variable.name);
  }
  t.true(stdout.includes('-a, --appNamespace string'));
  t.true(stdout.includes('--policyAddr string (default :15016)'));
  t.true(stdout.includes('--policyAddr string (default :15016) ‡'));
  t.true(stdout.endsWith('\n\n‡ marks what only Navigator has.\n'));
  t.true(stdout.includes('--plugins strings (default [authn,authz,health,policy])'));
});

test('help of version names its own flags and the common ones, and no variables', async (t) => {
  const { stdout } = await runLine(['version', '-h']);
  t.true(stdout.includes('-s, --short bool (default true)'));
  t.true(stdout.includes('--log_target stringArray (default [stdout])'));
  t.false(stdout.includes('--grpcMaxHeaderBytes'), 'limits of servers have no effect');
  t.false(stdout.includes('NAV_HTTP10'));
});

/** A server that answers with the request, and with the status at the end of its path. */
async function withEcho(use: (address: readonly [string, string]) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.statusCode = Number(/\d{3}$/.exec(request.url ?? '')?.[0] ?? 200);
    response.end(`${request.method} ${request.url} ${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(['--address', `127.0.0.1:${(server.address() as AddressInfo).port}`]);
  } finally {
    server.close();
  }
}

test('request prints the body and a line end, for a path with and without a leading slash', async (t) => {
  await withEcho(async (address) => {
    t.is((await runLine(['request', ...address, 'get', '/debug/syncz'])).stdout, 'GET /debug/syncz \n');
    t.is((await runLine(['request', ...address, 'GET', 'debug/syncz?a=b'])).stdout, 'GET /debug/syncz?a=b \n');
    t.is((await runLine(['request', ...address, 'POST', 'x', '{"a":1}'])).stdout, 'POST /x {"a":1}\n');
    t.is((await runLine(['request', ...address, 'POST', 'x', '--', '-body'])).stdout, 'POST /x -body\n');
  });
});

test('request fails for a status above 399, also for 404', async (t) => {
  await withEcho(async (address) => {
    const failed = await runLine(['request', ...address, 'GET', 'x/503']);
    t.is(failed.code, 1);
    t.is(failed.stderr, 'navigator-discovery: received unsuccessful status code 503: GET /x/503\n');
    t.is((await runLine(['request', ...address, 'GET', 'x/400'])).code, 1);
    const missing = await runLine(['request', ...address, 'GET', 'x/404']);
    t.is(missing.code, 1);
    t.is(missing.stdout, '');
    t.is(missing.stderr, 'navigator-discovery: received unsuccessful status code 404: GET /x/404\n');
    t.is((await runLine(['request', ...address, 'GET', 'x/302'])).code, 0);
  });
});

test('request names the URL when the server cannot be reached', async (t) => {
  // Port 1 of the loopback is reserved and closed.
  const { code, stdout, stderr } = await runLine(['request', 'GET', 'no/such/page', '--address=127.0.0.1:1']);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^navigator-discovery: GET http:\/\/127\.0\.0\.1:1\/no\/such\/page failed: .*ECONNREFUSED/);
});

test('request refuses an address without a port, and names the flag', async (t) => {
  const { code, stderr } = await runLine(['request', 'GET', 'x', '--address', 'meshd']);
  t.is(code, 1);
  t.regex(stderr, /--address must be host:port .*, not "meshd"/);
});

test('version and request do not load the server', async (t) => {
  const loaded: string[] = [];
  for (const argv of [['version'], ['version', '-o', 'yaml'], ['request', 'GET', 'x'], ['discovery', '--help']]) {
    await runLine(argv, { onLoad: () => loaded.push(argv.join(' ')) });
  }
  t.deepEqual(loaded, []);
  await runLine(['discovery'], { onLoad: () => loaded.push('discovery') });
  t.deepEqual(loaded, ['discovery']);
});

test('request refuses an invalid method', async (t) => {
  const { code, stderr } = await runLine(['request', 'G T', '/']);
  t.is(code, 1);
  t.regex(stderr, /Method must be a valid HTTP token/);
});
