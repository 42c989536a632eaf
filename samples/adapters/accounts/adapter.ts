// An adapter of one's own: it allows requests with a known key, and tells the plan of the key (docs/adapters.md).
// In the project's folder, after a build: node build/samples/adapters/accounts/adapter.js 127.0.0.1:9000
import {
  type GrpcObject,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceClientConstructor,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';

interface Params {
  readonly plans?: Readonly<Record<string, string>>;
  readonly valid_duration?: object;
}

interface Request {
  readonly instance?: { readonly key?: string };
  readonly adapter_config?: { readonly value?: Buffer };
}

const protos = loadSync('accounts.proto', {
  includeDirs: ['proto', 'samples/adapters/accounts'],
  keepCase: true,
  longs: String,
});
const { service } = (loadPackageDefinition(protos)['accounts'] as GrpcObject)[
  'HandleAccountsService'
] as ServiceClientConstructor;
const paramsType = protos['accounts.Params'] as MessageTypeDefinition<Params, Params>;

function decide({ instance, adapter_config }: Request): object {
  const { plans = {}, valid_duration } = paramsType.deserialize(adapter_config?.value ?? Buffer.alloc(0));
  const key = instance?.key ?? '';
  const plan = Object.hasOwn(plans, key) ? plans[key] : undefined;
  // Policy servers may use the answer again for the same key.
  const reuse = valid_duration === undefined ? {} : { valid_duration, valid_use_count: -1 };
  if (plan !== undefined) return { result: { status: {}, ...reuse }, output: { plan } };
  return { result: { status: { code: status.UNAUTHENTICATED, message: 'the key is not known' }, ...reuse } };
}

const server = new Server();
server.addService(service, {
  HandleAccounts: ({ request }: ServerUnaryCall<Request, object>, answer: sendUnaryData<object>) =>
    answer(null, decide(request)),
});
server.bindAsync(process.argv[2] ?? '127.0.0.1:9000', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`listening on port ${port}\n`);
});
process.on('SIGTERM', () => server.tryShutdown(() => process.exit()));
