import { type ManagedProcess, startManagedProcess } from '../../counterparts/managed-process.js';
import { programFile } from '../../counterparts/program-file.js';
import { eventually } from '../../support/eventually.js';
import type { Teardown } from './cleanup.js';
import type { LogLine } from './running-server.js';

const MAIN = programFile('navigator-discovery');

/** The server as its own process, the way users run it. */
export interface ServerProcess {
  readonly process: ManagedProcess;
  /** Log lines so far; output that is no log line is left out. */
  log(): readonly LogLine[];
  /** Waits for a log line with that message. */
  logged(message: string): Promise<LogLine>;
  /** Ports, once it is ready. */
  ports(): Promise<{ readonly grpc: number; readonly http: number; readonly monitoring: number }>;
  /** Exit code or signal, once it has ended. */
  ended(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Runs `discovery` on free ports of the loopback interface; it ends with the test at the latest. */
export function startServerProcess(
  t: Teardown,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const addresses = ['--grpcAddr', '--httpAddr', '--monitoringAddr', '--policyAddr', '--secureGRPCAddr', '--httpsAddr'];
  const listen = addresses.flatMap((flag) => [flag, '127.0.0.1:0']);
  const managed = startManagedProcess({
    name: 'discovery',
    command: [process.execPath, MAIN, 'discovery', '--log_as_json', ...listen, ...flags],
    env: { NAV_METRICS_MIN_INTERVAL: '0s', DNS_ADDR: '127.0.0.1:0', ...env },
  });
  t.teardown(() => managed.stop('SIGKILL'));
  const log = (): LogLine[] => managed.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const logged = async (message: string): Promise<LogLine> => {
    const find = (): LogLine | undefined => log().find(({ msg }) => msg === message);
    await eventually(`the log says "${message}"`, () => find() !== undefined || !managed.isRunning());
    const line = find();
    if (line === undefined) throw new Error(`the server ended without saying "${message}": ${managed.tail()}`);
    return line;
  };
  return {
    process: managed,
    log,
    logged,
    ports: async () => {
      const { grpc, http } = await logged('discovery server is ready');
      const [httpAddress, monitoringAddress] = http as readonly string[];
      return { grpc: portOf(grpc), http: portOf(httpAddress), monitoring: portOf(monitoringAddress) };
    },
    ended: () => managed.exited,
  };
}

function portOf(address: unknown): number {
  return Number(String(address).split(':').at(-1));
}
