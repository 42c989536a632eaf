import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, type ClientReadableStream, credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createHealthService } from '../../src/net/health-service.js';
import { eventually } from '../support/eventually.js';

const same = (bytes: Buffer): Buffer => bytes;
const SERVING = Buffer.from([0x08, 1]);
const NOT_SERVING = Buffer.from([0x08, 2]);
const SERVICE_UNKNOWN = Buffer.from([0x08, 3]);

/** HealthCheckRequest */
function question(service: string): Buffer {
  const text = Buffer.from(service);
  const length: number[] = [];
  for (let rest = text.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([0x0a, ...length]), text]);
}

async function serve(t: ExecutionContext) {
  const server = new Server();
  const health = createHealthService(['a.Service']);
  health.addTo(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.teardown(() => {
    client.close();
    server.forceShutdown();
  });
  return {
    health,
    check: (service: string) =>
      new Promise<Buffer | number>((resolve) => {
        client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, question(service), (error, answer) =>
          resolve(error?.code ?? answer ?? Buffer.alloc(0)),
        );
      }),
    watch: (service: string) => {
      const answers: Buffer[] = [];
      const call: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
        '/grpc.health.v1.Health/Watch',
        same,
        same,
        question(service),
      );
      call.on('data', (answer: Buffer) => answers.push(answer)).on('error', () => undefined);
      return { answers, cancel: () => call.cancel() };
    },
  };
}

test('the health of services and of the whole server can be checked and watched', async (t) => {
  const { health, check, watch } = await serve(t);
  const { answers } = watch('a.Service');
  await eventually('the first answer', () => answers.length === 1);
  t.deepEqual(await check(''), NOT_SERVING);
  health.setServing(true);
  t.deepEqual(await check('a.Service'), SERVING);
  await eventually('the change', () => answers.length === 2);
  t.deepEqual(answers, [NOT_SERVING, SERVING]);
});

/** Memory that is held after unused objects are collected. */
function heldMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

test('the server keeps no state for unknown services, however many are watched', async (t) => {
  const { check, watch } = await serve(t);
  t.is(await check('x'), status.NOT_FOUND);
  const before = heldMiB();
  for (let index = 0; index < 64; index++) {
    const { answers, cancel } = watch(`${index}`.padEnd(1 << 20, 'x'));
    await eventually('it is answered', () => answers.length === 1);
    t.deepEqual(answers, [SERVICE_UNKNOWN]);
    cancel();
  }
  t.is(await check('x'), status.NOT_FOUND);
  // Streams take a moment to end, and hold their requests until then.
  await eventually('half of the names are let go of', () => heldMiB() - before < 32);
  t.pass();
});
