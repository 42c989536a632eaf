import { eventually } from '../support/eventually.js';
import type { Agent } from './agent.js';
import { ENVOY_ADMIN_PORT, type EnvoyJson } from './envoy-bootstrap.js';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import type { NetworkNamespace } from './network.js';

export interface EnvoyOptions {
  readonly binary: string;
  readonly namespace: NetworkNamespace;
  /** Asks the admin interface from inside. */
  readonly agent: Agent;
  readonly bootstrap: EnvoyJson;
  /** Default `warning`. */
  readonly logLevel?: string;
}

/** A running Envoy; its admin interface is read from inside its namespace. */
export interface Envoy {
  readonly name: string;
  readonly process: ManagedProcess;
  /** GET (or POST) of an admin path, for example `/config_dump`; throws unless it answers 200. */
  admin(path: string, method?: 'GET' | 'POST'): Promise<string>;
  /** All counters and gauges by name. */
  stats(): Promise<ReadonlyMap<string, number>>;
  /** One counter or gauge; 0 when Envoy has not made it yet. */
  stat(name: string): Promise<number>;
  /** Waits until Envoy is initialised and takes traffic: its first listeners and clusters have come. */
  ready(timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

interface StatsAnswer {
  readonly stats: readonly { readonly name?: string; readonly value?: number }[];
}

/** Starts Envoy in the namespace, as the user whose traffic is not captured. */
export function startEnvoy({ binary, namespace, agent, bootstrap, logLevel = 'warning' }: EnvoyOptions): Envoy {
  const name = `Envoy of ${namespace.name}`;
  const program = startManagedProcess({
    name,
    command: namespace.enter(
      [
        binary,
        ...['--config-yaml', JSON.stringify(bootstrap)],
        ...['--log-level', logLevel, '--concurrency', '1'],
        // Several Envoys on one machine must not find each other's shared memory.
        '--disable-hot-restart',
      ],
      'proxy',
    ),
  });

  const admin: Envoy['admin'] = async (path, method = 'GET') => {
    if (!program.isRunning()) throw new Error(`${name} has ended: ${program.tail()}`);
    const answer = await agent.request(`http://127.0.0.1:${ENVOY_ADMIN_PORT}${path}`, { method });
    if (answer.status !== 200) throw new Error(`${name}: ${path} answered ${answer.status}: ${answer.body}`);
    return answer.body;
  };
  const stats = async (): Promise<ReadonlyMap<string, number>> => {
    const { stats: list } = JSON.parse(await admin('/stats?format=json')) as StatsAnswer;
    return new Map(
      list.flatMap(({ name: key, value }) => (key === undefined || value === undefined ? [] : [[key, value]])),
    );
  };

  return {
    name,
    process: program,
    admin,
    stats,
    stat: async (key) => (await stats()).get(key) ?? 0,
    async ready(timeoutMs = 60_000) {
      try {
        await eventually(
          `${name} is ready`,
          async () => {
            if (!program.isRunning()) return true;
            return (await admin('/ready')).trim() === 'LIVE';
          },
          { timeoutMs },
        );
      } catch (cause) {
        throw new Error(`${name} does not become ready: ${program.tail()}`, { cause });
      }
      if (!program.isRunning()) throw new Error(`${name} ended before it was ready: ${program.tail()}`);
    },
    stop: () => program.stop('SIGTERM'),
  };
}
