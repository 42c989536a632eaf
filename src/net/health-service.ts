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
  /** NOT_SERVING before it is called. */
  setServing(isServing: boolean): void;
}

interface Question {
  readonly service: string;
}
interface Answer {
  readonly status: string;
}

/** What the library has; the rest of its methods take no name. */
interface NamedMethods {
  readonly check: (call: ServerUnaryCall<Question, Answer>, callback: sendUnaryData<Answer>) => void;
  readonly watch: (call: ServerWritableStream<Question, Answer>) => void;
}

/**
 * Answers everybody, on every port. Names that the server does not have are kept out of the library: it would remember
 * each one that somebody has watched, megabytes long or not, for as long as the process lives.
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
        // It stays open, as for one that may come; none will.
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
