import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../../test/counterparts/free-ports.js';
import { BenchError } from '../cli/bench-error.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { describeExit, endProcess, type OwnedProcesses } from './owned-process.js';

/** How often /ready is asked; the start is measured in hundreds of milliseconds. */
const READY_POLL_MS = 10;
const LOG_LINES_SHOWN = 15;

/** NAV_DEBOUNCE_AFTER of the measured server, fixed so that runs can be compared. */
export const DEBOUNCE_MS = 100;

export interface DiscoveryProcessOptions {
  readonly processes: OwnedProcesses;
  /** The server's compiled entry; default the bundled program of this project. */
  readonly entry?: string;
  /** Folder for the server's log; also its working directory. */
  readonly workFolder: string;
  readonly timeoutMs: number;
  /** The folder that it watches; absent for a server whose `flags` name a cluster. */
  readonly meshFolder?: string;
  /** More flags of the command. */
  readonly flags?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node, such as those of a profile. */
  readonly nodeFlags?: readonly string[];
}

/** A running discovery server, all its listeners on free loopback ports. */
export interface DiscoveryProcess {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly policyPort: number;
  readonly monitoringPort: number;
  readonly pid: number | undefined;
  readonly logFile: string;
  /** From its start until it said that it was ready. */
  readonly readyMs: number;
  /** Never resolves; rejects when the process ends by itself. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

/** The command that measures by default: this project's own. */
function defaultEntry(): string {
  return fileURLToPath(new URL('../../programs/navigator-discovery.js', import.meta.url));
}

/** Starts `navigator-discovery discovery` on free loopback ports, and waits until it is ready. */
export async function launchDiscovery(options: DiscoveryProcessOptions): Promise<DiscoveryProcess> {
  const [grpc = 0, http = 0, monitoring = 0, https = 0, secureGrpc = 0, introspection = 0, policy = 0] =
    await findFreePorts(7);
  const logFile = join(options.workFolder, 'server.log');
  const log = await open(logFile, 'w');
  const startedAtMs = monotonicMs();
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeFlags ?? []),
      options.entry ?? defaultEntry(),
      'discovery',
      ...['--registries', 'Orchestrator'],
      ...(options.meshFolder === undefined ? [] : ['--configDir', options.meshFolder]),
      ...['--grpcAddr', `127.0.0.1:${grpc}`],
      ...['--httpAddr', `127.0.0.1:${http}`],
      ...['--monitoringAddr', `127.0.0.1:${monitoring}`],
      ...['--policyAddr', `127.0.0.1:${policy}`],
      ...['--httpsAddr', `127.0.0.1:${https}`],
      ...['--secureGRPCAddr', `127.0.0.1:${secureGrpc}`],
      ...['--introspect_address', '127.0.0.1', '--introspect_port', String(introspection)],
      // All clients share one process, which may not answer a ping in time while it reads gigabytes.
      ...['--keepaliveInterval', '1h'],
      ...(options.flags ?? []),
    ],
    {
      cwd: options.workFolder,
      env: {
        ...process.env,
        NAV_USE_ENDPOINT_SLICE: 'true',
        NAV_DEBOUNCE_AFTER: `${DEBOUNCE_MS}ms`,
        DNS_ADDR: '',
        ...options.env,
      },
      stdio: ['ignore', log.fd, log.fd],
    },
  );
  options.processes.add(child);
  await log.close();
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => {
      reject(
        new BenchError('server-failed', `The discovery server did not start: ${error.message}.`, { cause: error }),
      );
    });
    child.once('exit', (code, signal) => {
      void readLogTail(logFile).then((tail) =>
        reject(
          new BenchError('server-failed', `The discovery server ${describeExit(code, signal)}. Its log ends:\n${tail}`),
        ),
      );
    });
  });
  failed.catch(() => {});
  try {
    await Promise.race([waitUntilReady(http, options.timeoutMs, logFile), failed]);
  } catch (error) {
    await endProcess(child);
    throw error;
  }
  return {
    grpcPort: grpc,
    httpPort: http,
    policyPort: policy,
    monitoringPort: monitoring,
    pid: child.pid,
    logFile,
    readyMs: monotonicMs() - startedAtMs,
    failed,
    stop: () => endProcess(child),
  };
}

async function waitUntilReady(port: number, timeoutMs: number, logFile: string): Promise<void> {
  const deadlineMs = monotonicMs() + timeoutMs;
  while (!(await isReady(port))) {
    if (monotonicMs() > deadlineMs) {
      throw new BenchError(
        'timed-out',
        `Waited ${timeoutMs / 1000} s for the discovery server to answer /ready with 200. Its log ends:\n${await readLogTail(logFile)}`,
      );
    }
    await delay(READY_POLL_MS);
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/ready', agent: false, timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

async function readLogTail(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const tail = log.trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
  return tail.map((line) => `  ${line}`).join('\n');
}
