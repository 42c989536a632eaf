import { spawnSync } from 'node:child_process';
import { Client, credentials } from '@grpc/grpc-js';
import test from 'ava';
import { programFile } from '../counterparts/program-file.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { startServerProcess } from './support/server-process.js';

const same = (bytes: Buffer): Buffer => bytes;
/** ServerReflectionRequest{list_services: "*"} */
const LIST_SERVICES = Buffer.from([0x3a, 1, 0x2a]);
const CHECK_SERVER = Buffer.alloc(0);

test.serial('callers in the log are files of src, not of the bundle', async (t) => {
  const server = startServerProcess(t, ['--configDir', 'samples/mesh', '--log_caller', 'all']);
  const { caller } = await server.logged('discovery server is ready');
  t.regex(String(caller), /^bootstrap\/discovery-server\.ts:\d+$/);
});

test.serial('the bundled server answers reflection and health checks, whose files are in packages', async (t) => {
  const server = startServerProcess(t, ['--configDir', 'samples/mesh']);
  const { grpc } = await server.ports();
  const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const health = await new Promise((resolve, reject) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, CHECK_SERVER, (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    );
  });
  t.deepEqual(health, Buffer.from([0x08, 1]));
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const call = client.makeBidiStreamRequest(path, same, same);
  let text = '';
  call.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  let failure: Error | undefined;
  call.on('error', (error) => {
    failure = error;
  });
  call.write(LIST_SERVICES);
  await eventually('services are listed', () => failure !== undefined || text !== '');
  t.is(failure, undefined);
  t.true(text.includes('envoy.service.discovery.v3.AggregatedDiscoveryService'), text);
  call.end();
});

test.serial('a bundled program reads the library for CEL when an expression needs it', async (t) => {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  const rule = (match: string): string =>
    JSON.stringify({
      apiVersion: 'config.mesh.internal/v1alpha2',
      kind: 'rule',
      metadata: { name: 'books', namespace: 'shop' },
      spec: { match, actions: [{ handler: 'nothing', instances: ['requests'] }] },
    });
  const analyze = async (match: string): Promise<string> => {
    await folder.write('rule.yaml', rule(match));
    const args = [programFile('navigator-discovery'), 'analyze', folder.at('rule.yaml')];
    return spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, MESH_LANG: 'cel' } }).stdout;
  };
  t.regex(await analyze('request.method in ['), /spec\.match/);
  t.notRegex(await analyze('request.method in ["GET", "HEAD"]'), /spec\.match/);
});
