import { spawnSync } from 'node:child_process';
import { eventually } from '../support/eventually.js';
import type { Availability } from './availability.js';
import { startManagedProcess } from './managed-process.js';

/** The redis-server program: REDIS_SERVER, or the one on PATH. */
export function findRedis(): Availability<string> {
  const binary = process.env['REDIS_SERVER'] ?? 'redis-server';
  if (spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0) return { value: binary };
  return { missing: `${binary} does not run (Debian: apt-get install redis-server)` };
}

/**
 * The same, for tests that only need Redis. Without it they are declared as skipped, and `npm test` lists them with the
 * reason; with REQUIRE_COUNTERPARTS=1 that it is missing is an error here.
 */
export function requireRedis(): Availability<string> {
  const redis = process.platform === 'linux' ? findRedis() : { missing: `it needs Linux; this is ${process.platform}` };
  if ('missing' in redis && process.env['REQUIRE_COUNTERPARTS'] === '1') {
    throw new Error(`a counterpart is missing: ${redis.missing}`);
  }
  return redis;
}

export interface RedisOptions {
  readonly binary: string;
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** 0 for any free port: tried until one is. */
  readonly port: number;
  /** Makes the command line run elsewhere, as NetworkNamespace.enter does; default: here. */
  readonly enter?: (command: readonly string[]) => readonly string[];
  /** More options of the command line, for example --requirepass. */
  readonly args?: readonly string[];
}

/** A real Redis without persistence. */
export interface RedisServer {
  readonly url: string;
  /** Starts it again on the same port, empty, after stop(). */
  start(): Promise<void>;
  /** Ends it at once, as a crash would: SIGKILL. */
  stop(): Promise<void>;
  /** SIGSTOP: connections stay, and nothing answers, until SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const FREE_PORT_ATTEMPTS = 20;

/** Starts Redis, and waits until it takes connections. */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  if (options.port !== 0) return startOnPort(options);
  for (let attempt = 1; ; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    try {
      return await startOnPort({ ...options, port });
    } catch (error) {
      if (attempt === FREE_PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOnPort({
  binary,
  address = '127.0.0.1',
  port,
  enter,
  args = [],
}: RedisOptions): Promise<RedisServer> {
  const command = [
    ...['setpriv', '--pdeathsig', 'KILL', binary],
    ...['--bind', address, '--port', String(port), '--protected-mode', 'no'],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    ...args,
  ];
  const launch = async () => {
    const started = startManagedProcess({ name: 'redis', command: enter === undefined ? command : enter(command) });
    const isReady = () => started.lines.some((line) => line.includes('Ready to accept connections'));
    await eventually('redis takes connections', () => isReady() || !started.isRunning());
    if (!isReady()) throw new Error(`redis ended: ${started.tail(5)}`);
    return started;
  };
  let server = await launch();
  return {
    url: `redis://${address}:${port}`,
    async start() {
      if (!server.isRunning()) server = await launch();
    },
    stop: () => server.stop('SIGKILL'),
    signal: (signal) => void server.child.kill(signal),
  };
}
