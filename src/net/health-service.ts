import {
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** `grpc.health.v1.Health` of a server: of its services, and of the empty name for the server as a whole. */
export interface HealthService {
  addTo(server: Server): void;
  /** The status is NOT_SERVING before the first call. */
  setServing(isServing: boolean): void;
}

interface Question {
  readonly service: string;
}
interface Answer {
  readonly status: string;
}

/** The methods of the library that take the name of a service. */
interface NamedMethods {
  readonly check: (call: ServerUnaryCall<Question, Answer>, callback: sendUnaryData<Answer>) => void;
  readonly watch: (call: ServerWritableStream<Question, Answer>) => void;
}

/**
 * Answers all callers on every port. Requests for unknown services do not reach the library, which would keep each
 * watched name, however long, for the life of the process.
 *
 * @param services full names
 */
export function createHealthService(services: readonly string[]): HealthService {
  const names = new Set(['', ...services]);
  const health = new HealthImplementation(Object.fromEntries([...names].map((name) => [name, 'NOT_SERVING' as const])));
  const limited = (implementation: UntypedServiceImplementation): UntypedServiceImplementation => {
    const { check, watch } = implementation as unknown as NamedMethods;
    const methods: NamedMethods = {
      check: (call, callback) => {
        if (names.has(call.request.service)) check(call, callback);
        else callback({ code: status.NOT_FOUND, details: 'this server has no service of that name' });
      },
      watch: (call) => {
        if (names.has(call.request.service)) watch(call);
        // The stream stays open, as the protocol demands for a service that may appear later.
        else call.write({ status: 'SERVICE_UNKNOWN' });
      },
    };
    return { ...implementation, ...methods };
  };
  return {
    addTo: (server) => {
      health.addToServer({
        addService: (definition, implementation) => server.addService(definition, limited(implementation)),
      });
    },
    setServing: (isServing) => {
      for (const name of names) health.setStatus(name, isServing ? 'SERVING' : 'NOT_SERVING');
    },
  };
}
