// A gRPC client and server that is configured over xDS. Commands: see README.md in the folder above.
import { createInterface } from 'node:readline';
import {
  addAdminServicesToServer,
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
} from '@grpc/grpc-js';
import { register, XdsChannelCredentials, XdsServer, XdsServerCredentials } from '@grpc/grpc-js-xds';
import { echoService } from '../backend.js';
import type { CallCommand, Command, Reply, ServeCommand } from '../grpc-client.js';

register();

const channels = new Map<string, Client>();
const servers: XdsServer[] = [];

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);
const asIs = (bytes: Buffer): Buffer => bytes;

function channelTo(target: string, secure: boolean): Client {
  const key = `${target}|${secure}`;
  const known = channels.get(key);
  if (known !== undefined) return known;
  const plain = credentials.createInsecure();
  const client = new Client(target, secure ? new XdsChannelCredentials(plain) : plain);
  channels.set(key, client);
  return client;
}

function callOnce({ target, method, metadata, timeoutMs, secure }: CallCommand): Promise<Reply> {
  const headers = new Metadata();
  for (const [name, value] of Object.entries(metadata)) headers.set(name, value);
  const deadline = Date.now() + timeoutMs;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, response?: Buffer): void =>
      resolve(
        error === null ? { code: 0, server: response?.toString() ?? '' } : { code: error.code, message: error.details },
      );
    channelTo(target, secure).makeUnaryRequest(method, asIs, asIs, Buffer.from('hello'), headers, { deadline }, done);
  });
}

async function call(command: CallCommand): Promise<void> {
  const replies: Reply[] = [];
  if (command.parallel) {
    replies.push(...(await Promise.all(Array.from({ length: command.count }, () => callOnce(command)))));
  } else {
    for (let index = 0; index < command.count; index++) replies.push(await callOnce(command));
  }
  say({ id: command.id, replies });
}

function serve({ id, address, name, secure }: ServeCommand): void {
  const server = new XdsServer();
  server.addService(echoService(), {
    Say: (_call: unknown, done: (error: null, response: Buffer) => void) => done(null, Buffer.from(name)),
    Secret: (_call: unknown, done: (error: null, response: Buffer) => void) => done(null, Buffer.from(name)),
  });
  servers.push(server);
  const plain = ServerCredentials.createInsecure();
  server.bindAsync(address, secure ? new XdsServerCredentials(plain) : plain, (error) =>
    say(error === null ? { id } : { id, error: error.message }),
  );
}

/** Serves the client status service of the library, in plaintext on a free port. */
function status(id: number): void {
  const server = new Server();
  addAdminServicesToServer(server);
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    say(error === null ? { id, port } : { id, error: error.message }),
  );
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const command = JSON.parse(line) as Command;
    if (command.op === 'call') void call(command);
    else if (command.op === 'serve') serve(command);
    else if (command.op === 'status') status(command.id);
    else {
      for (const [key, channel] of channels) {
        if (!key.startsWith(command.target)) continue;
        channel.close();
        channels.delete(key);
      }
      say({ id: command.id });
    }
  })
  .on('close', () => process.exit(0));
