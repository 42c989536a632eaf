import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Availability } from '../availability.js';
import { projectRoot } from '../project-root.js';

export const GRPC_LANGUAGES = ['go', 'python', 'node'] as const;
export type GrpcLanguage = (typeof GRPC_LANGUAGES)[number];

export interface Reply {
  /** A gRPC status code. */
  readonly code: number;
  readonly message?: string;
  /** The name of the server that answered. */
  readonly server?: string;
}

export interface CallOptions {
  /** Default `/test.Echo/Say`. */
  readonly method?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Default 30,000. */
  readonly timeoutMs?: number;
  /** Default 1. */
  readonly count?: number;
  /** Whether all calls are made at once; default: one after the other. */
  readonly parallel?: boolean;
  /** Whether the channel takes TLS from xDS; default: plaintext. */
  readonly secure?: boolean;
}

export interface CallCommand extends Required<CallOptions> {
  readonly id: number;
  readonly op: 'call';
  readonly target: string;
}

export interface ServeCommand {
  readonly id: number;
  readonly op: 'serve';
  readonly address: string;
  readonly name: string;
  readonly secure: boolean;
}

export type Command =
  | CallCommand
  | ServeCommand
  | { readonly id: number; readonly op: 'status' }
  | { readonly id: number; readonly op: 'close'; readonly target: string };

/** A program with a gRPC library, in its own process. */
export interface GrpcClient {
  readonly language: GrpcLanguage;
  call(target: string, options?: CallOptions): Promise<readonly Reply[]>;
  /** Starts a server whose listener comes over xDS. */
  serve(address: string, name: string, options?: { readonly secure?: boolean }): Promise<void>;
  /** Starts the client status service (CSDS) of the library. @returns its port on 127.0.0.1 */
  serveStatus(): Promise<number>;
  /** Lines that it wrote to standard error. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** The command of a program, and its variables. */
interface Program {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where `scripts/obtain-grpc-clients.mjs` puts them. */
const CACHE = join(projectRoot(), '.cache/grpc-clients');
const SOURCES = join(projectRoot(), 'test/counterparts/grpc');

export function findGrpcProgram(language: GrpcLanguage): Availability<Program> {
  const remedy = 'run: node scripts/obtain-grpc-clients.mjs';
  switch (language) {
    case 'go': {
      const binary = join(CACHE, 'go/client');
      return existsSync(binary)
        ? { value: { command: [binary], env: {} } }
        : { missing: `the gRPC client in Go is not built (${remedy})` };
    }
    case 'python': {
      const packages = join(CACHE, 'python');
      return existsSync(join(packages, 'grpc'))
        ? { value: { command: ['python3', join(SOURCES, 'python/main.py')], env: { PYTHONPATH: packages } } }
        : { missing: `grpcio is not installed (${remedy})` };
    }
    case 'node':
      return {
        value: {
          command: [process.execPath, join(projectRoot(), 'build/test/counterparts/grpc/node/main.js')],
          env: { GRPC_XDS_EXPERIMENTAL_RBAC: 'true' },
        },
      };
  }
}

/** @param bootstrap its content; with `variables` instead, the program runs with these */
export function startGrpcClient(
  language: GrpcLanguage,
  bootstrap: object | { readonly variables: Readonly<Record<string, string>> },
): GrpcClient {
  const program = findGrpcProgram(language);
  if ('missing' in program) throw new Error(program.missing);
  const { command, env } = program.value;
  const [file = '', ...args] = command;
  const given =
    'variables' in bootstrap ? bootstrap.variables : { GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap) };
  const variables = { ...process.env, ...env, ...given };
  const child: ChildProcess = spawn(file, args, { stdio: 'pipe', env: variables });
  const exited = new Promise<void>((resolve) => {
    child.on('exit', () => resolve());
    child.on('error', () => resolve());
  });
  const errors: string[] = [];
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  if (child.stdout === null || child.stderr === null) throw new Error('the program has no output');
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  let ended: Error | undefined;
  void exited.then(() => {
    ended = new Error(`the gRPC client in ${language} ended: ${errors.slice(-20).join('\n')}`);
    for (const { reject } of waiting.values()) reject(ended);
  });
  let lastId = 0;
  const ask = async (command: object): Promise<Answer> => {
    if (ended !== undefined) throw ended;
    const id = ++lastId;
    const answered = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    const answer = await answered;
    if (answer.error !== undefined) throw new Error(`${language}: ${answer.error}`);
    return answer;
  };
  return {
    language,
    errors,
    call: async (target, options = {}) => {
      const command = { op: 'call', target, method: '/test.Echo/Say', metadata: {}, timeoutMs: 30_000, ...options };
      const { replies = [] } = await ask({ count: 1, parallel: false, secure: false, ...command });
      return replies;
    },
    serve: async (address, name, { secure = false } = {}) => {
      await ask({ op: 'serve', address, name, secure });
    },
    serveStatus: async () => {
      const { port } = await ask({ op: 'status' });
      if (port === undefined) throw new Error(`${language}: the client status service has no port`);
      return port;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

interface Answer {
  readonly id: number;
  readonly replies?: readonly Reply[];
  readonly port?: number;
  readonly error?: string;
}
