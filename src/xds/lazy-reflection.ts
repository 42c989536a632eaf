import { Duplex } from 'node:stream';
import type { Server, ServerDuplexStream, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { protoIncludeDirs } from '../envoy/proto-folders.js';
import { passThrough, rawStreamingMethod } from '../net/raw-method.js';
import { type CallGate, runGated } from './call-gate.js';

/** The published versions of the reflection service. */
const SERVICES = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'] as const;
const METHOD = 'ServerReflectionInfo';

type RawReflectionCall = ServerDuplexStream<Buffer, Buffer>;

/** The parts of a service of `@grpc/reflection`. */
interface Reflection {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Serves gRPC reflection. The first call loads it and describes the services. That takes a quarter of a second, which a
 * start saves.
 *
 * @param files `.proto` files whose services are described
 * @param gate authenticates callers; undefined to answer all callers
 */
export function addLazyReflection(server: Server, files: readonly string[], gate: CallGate | undefined): void {
  let reflections: Promise<ReadonlyMap<string, Reflection>> | undefined;
  const serve = async (call: RawReflectionCall, path: string): Promise<void> => {
    reflections ??= describe(files);
    // After an error the next call tries again.
    reflections.catch(() => {
      reflections = undefined;
    });
    const reflection = (await reflections).get(path);
    if (reflection === undefined) call.end();
    else answer(call, reflection);
  };
  for (const service of SERVICES) {
    const path = `/${service}/${METHOD}`;
    server.addService(
      { [METHOD]: rawStreamingMethod(path, passThrough) },
      {
        [METHOD]: (call: RawReflectionCall) => {
          if (gate !== undefined) void runGated(call, gate, () => serve(call, path));
          else serve(call, path).catch((error: Error) => call.emit('error', error));
        },
      },
    );
  }
}

async function describe(files: readonly string[]): Promise<ReadonlyMap<string, Reflection>> {
  // In a bundle, a CommonJS package has only its default export.
  const [{ ReflectionService }, { default: protoLoader }] = await Promise.all([
    import('@grpc/reflection'),
    import('@grpc/proto-loader'),
  ]);
  const reflections = new Map<string, Reflection>();
  const service = new ReflectionService(protoLoader.loadSync([...files], { includeDirs: [...protoIncludeDirs()] }));
  const collector: Pick<Server, 'addService'> = {
    addService: (definition, implementation) => {
      for (const { path } of Object.values(definition)) reflections.set(path, { definition, implementation });
    },
  };
  service.addToServer(collector);
  return reflections;
}

/** Translates between the messages of the library's handler and the bytes of the call. */
function answer(call: RawReflectionCall, { definition, implementation }: Reflection): void {
  const method = definition[METHOD];
  const handler = implementation[METHOD];
  if (method === undefined || handler === undefined) {
    call.end();
    return;
  }
  const messages = new Duplex({
    objectMode: true,
    read: () => call.resume(),
    write: (message, _encoding, done) => {
      call.write(method.responseSerialize(message), done);
    },
    final: (done) => {
      call.end();
      done();
    },
  });
  call.on('data', (bytes: Buffer) => {
    try {
      if (!messages.push(method.requestDeserialize(bytes))) call.pause();
    } catch (error) {
      messages.destroy();
      call.emit('error', error);
    }
  });
  call.on('end', () => messages.push(null));
  call.on('close', () => messages.destroy());
  // The library's handler takes any object stream of requests and responses.
  (handler as unknown as (stream: Duplex) => void)(messages);
}
