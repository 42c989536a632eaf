import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { startManagedProcess } from './managed-process.js';

/** A real Envoy on the loopback device of this machine, without network namespaces. */
export interface LoopbackEnvoy {
  /** The port of a listener of the bootstrap, by its name. */
  portOf(listener: string): number;
  /** The answer of an admin page. */
  admin(path: string): Promise<string>;
  stop(): Promise<void>;
}

export interface LoopbackEnvoyOptions {
  readonly binary: string;
  /** Its admin address, and those of its listeners, have port 0. */
  readonly bootstrap: object;
  /** How many listeners the bootstrap has. Default 0: Envoy has started when its admin pages answer. */
  readonly listeners?: number;
}

interface ListenersAnswer {
  readonly listener_statuses?: readonly {
    readonly name: string;
    readonly local_address: { readonly socket_address: { readonly port_value: number } };
  }[];
}

/** Starts it, and waits until it is ready and all of its listeners have a port. */
export async function startLoopbackEnvoy(options: LoopbackEnvoyOptions): Promise<LoopbackEnvoy> {
  const { binary, bootstrap, listeners = 0 } = options;
  const directory = await mkdtemp(join(tmpdir(), 'loopback-envoy-'));
  const adminFile = join(directory, 'admin');
  const program = startManagedProcess({
    name: 'Envoy',
    command: [
      ...[binary, '--config-yaml', JSON.stringify(bootstrap)],
      ...['--admin-address-path', adminFile, '--concurrency', '1', '--log-level', 'warning', '--disable-hot-restart'],
    ],
  });
  const stop = async (): Promise<void> => {
    await program.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const get = async (path: string): Promise<Response> =>
    fetch(`http://${(await readFile(adminFile, 'utf8')).trim()}${path}`);
  let ports: ReadonlyMap<string, number> = new Map();
  const isReady = async (): Promise<boolean> => {
    const ready = await get('/ready');
    if (listeners === 0) return true;
    if (ready.status !== 200) return false;
    const answer = (await (await get('/listeners?format=json')).json()) as ListenersAnswer;
    const statuses = answer.listener_statuses ?? [];
    ports = new Map(statuses.map(({ name, local_address }) => [name, local_address.socket_address.port_value]));
    return ports.size === listeners;
  };
  try {
    await eventually('Envoy is ready', isReady);
  } catch (cause) {
    const said = program.tail();
    await stop();
    throw new Error(`Envoy does not start: ${said}`, { cause });
  }
  return {
    portOf: (listener) => ports.get(listener) ?? 0,
    admin: async (path) => (await get(path)).text(),
    stop,
  };
}
