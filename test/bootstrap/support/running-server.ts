import path from 'node:path';
import { systemClock } from '../../../src/base/clock.js';
import { createDiscoveryServer } from '../../../src/bootstrap/discovery-server.js';
import { parseArguments } from '../../../src/cli/parse-arguments.js';
import { parseOptions } from '../../../src/cli/parse-options.js';
import { commonFlags } from '../../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../../src/cli/settings/discovery-flags.js';
import { createLogging } from '../../../src/telemetry/logging.js';
import { createTempFolder, type TempFolder } from '../../sources/support/temp-folder.js';
import type { Teardown } from './cleanup.js';
import { createHttpReader, type HttpReader } from './http-reader.js';
import { startInTurn } from './start-in-turn.js';

/** One line of the server's log. */
export interface LogLine {
  readonly level: string;
  readonly scope: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A whole discovery server in this process, over a folder of its own. */
export interface RunningServer {
  /** 0 where --grpcAddr is empty. */
  readonly grpcPort: number;
  readonly monitoringPort: number;
  /** 0 where nothing is served over TLS. */
  readonly secureGrpcPort: number;
  readonly policyPort: number;
  /** Over UDP and TCP; 0 where DNS_ADDR is empty. */
  readonly dnsPort: number;
  /** The folder of --configDir. */
  readonly folder: TempFolder;
  readonly meshConfigFile: string;
  readonly networksFile: string;
  /** The file of --policyConfig. */
  readonly policyConfigFile: string;
  /** The HTTP listener. */
  readonly http: HttpReader;
  /** The self-monitoring listener. */
  readonly monitoring: HttpReader;
  readonly log: readonly LogLine[];
  /** Log lines with that message. */
  logged(message: string): readonly LogLine[];
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Files of the folder before the start, by path below it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Read from here instead of a folder of its own. */
  readonly folder?: TempFolder;
  /** Kubeconfig of a cluster that is read instead of the folder. */
  readonly orchConfig?: string;
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Changes reach proxies fast, so that tests do not wait for the default quiet time of 100 ms, and metrics are those of
 * the moment. Analysis runs, as with `npm start` and in
 * `manifests/`. An authority makes a key at each start; tests of what is served over TLS turn it on.
 */
const FAST = {
  NAV_DEBOUNCE_AFTER: '5ms',
  NAV_DEBOUNCE_MAX: '200ms',
  NAV_METRICS_MIN_INTERVAL: '0s',
  ENABLE_CA_SERVER: 'false',
  NAV_ENABLE_ANALYSIS: 'true',
  DNS_ADDR: '127.0.0.1:0',
} as const;

/** Starts a server on free ports; it stops with the test. */
export async function startServer(t: Teardown, options: ServerOptions = {}): Promise<RunningServer> {
  const folder = options.folder ?? (await createTempFolder());
  for (const [file, text] of Object.entries(options.files ?? {})) await folder.write(file, text);
  const meshConfigFile = path.join(path.dirname(folder.path), 'mesh.yaml');
  const networksFile = path.join(path.dirname(folder.path), 'networks.yaml');
  const policyConfigFile = path.join(path.dirname(folder.path), 'policy.yaml');
  const { flags } = parseArguments(
    [
      'discovery',
      ...['--grpcAddr', '127.0.0.1:0', '--httpAddr', '127.0.0.1:0', '--monitoringAddr', '127.0.0.1:0'],
      ...['--policyAddr', '127.0.0.1:0', '--policyConfig', policyConfigFile],
      ...['--secureGRPCAddr', '127.0.0.1:0', '--httpsAddr', '127.0.0.1:0'],
      ...(options.orchConfig === undefined ? ['--configDir', folder.path] : ['--orchconfig', options.orchConfig]),
      ...['--meshConfig', meshConfigFile, '--networksConfig', networksFile],
      ...['--log_as_json', '--log_output_level', 'all:debug'],
      ...(options.flags ?? []),
    ],
    [...Object.values(commonFlags), ...Object.values(discoveryFlags)],
  );
  const parsed = parseOptions(flags, { ...FAST, ...options.variables });
  const log: LogLine[] = [];
  const logging = createLogging(parsed.common, {
    now: systemClock.now,
    sinks: [{ colored: false, write: (line) => void log.push(JSON.parse(line)), close: async () => undefined }],
  });
  const server = createDiscoveryServer(parsed, logging, systemClock);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.stop();
    return stopped;
  };
  t.teardown(async () => {
    await stop();
    if (options.folder === undefined) await folder.dispose();
  });
  const { grpc, http, monitoring, policy, dns, secureGrpc } = await startInTurn(() => server.start());
  return {
    grpcPort: grpc?.port ?? 0,
    monitoringPort: monitoring.port,
    secureGrpcPort: secureGrpc?.port ?? 0,
    policyPort: policy.port,
    dnsPort: dns?.port ?? 0,
    folder,
    meshConfigFile,
    networksFile,
    policyConfigFile,
    http: createHttpReader(http.port),
    monitoring: createHttpReader(monitoring.port),
    log,
    logged: (message) => log.filter(({ msg }) => msg === message),
    drain: () => server.drain(),
    stop,
  };
}
