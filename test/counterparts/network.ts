import { captureRules, PROXY_UID } from './capture-rules.js';
import { runCommand } from './command.js';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import type { NamespaceMode } from './namespace-mode.js';

/** The router's own address, where tests run the control plane; reachable from every workload. */
export const ROUTER_ADDRESS = '10.244.0.1';

/** The gateway that every workload sees at the other end of its veth pair. */
const GATEWAY = '169.254.1.1';

/** A user of a namespace: an app is root there, Envoy is user 1337. */
export type NamespaceUser = 'app' | 'proxy';

/** One network namespace, held by a process that only sleeps. */
export interface NetworkNamespace {
  readonly name: string;
  readonly address: string;
  /** Process that holds it, for `nsenter -t`. */
  readonly pid: number;
  /** A command line that runs `command` inside and that the kernel ends when its parent ends. */
  enter(command: readonly string[], user?: NamespaceUser): readonly string[];
}

export interface WorkloadOptions {
  readonly name: string;
  /** IPv4 address, for example 10.244.0.5. */
  readonly address: string;
  /** Whether iptables sends its traffic through Envoy's ports 15001 and 15006; default true. */
  readonly captured?: boolean;
}

/** A router namespace with forwarding, and workloads joined to it by veth pairs. Nothing touches the machine's own network. */
export interface Network {
  /** `none`: the machine's own network (host-network.ts). */
  readonly mode: NamespaceMode | 'none';
  readonly router: NetworkNamespace;
  addWorkload(options: WorkloadOptions): Promise<NetworkNamespace>;
  /** More addresses on the router, for servers outside of the mesh. */
  addRouterAddress(address: string): Promise<void>;
  /** Drops all packets to an address of the router until the result is called: a server that is cut off. */
  silence(address: string): Promise<() => Promise<void>>;
  /** Removes all namespaces. The starter of a process in them has to end it. */
  close(): Promise<void>;
}

const HOLD = ['--', 'setpriv', '--pdeathsig', 'KILL', 'sh', '-ec', 'ip link set lo up; echo up; exec sleep infinity'];

async function holdNamespace(name: string, command: readonly string[]): Promise<ManagedProcess> {
  const holder = startManagedProcess({ name: `namespace ${name}`, command });
  await new Promise<void>((resolve, reject) => {
    holder.child.stdout?.once('data', () => resolve());
    holder.exited.then(
      () => reject(new Error(`namespace ${name} could not be made: ${holder.tail()}`)),
      () => undefined,
    );
  });
  return holder;
}

/** CAP_DAC_READ_SEARCH lets user 1337 reach programs below folders that only root may search. */
const PROXY_CAPABILITY = '-all,+dac_read_search';

function userArguments(mode: NamespaceMode, user: NamespaceUser): readonly string[] {
  if (mode === 'user' || user === 'app') return [];
  const id = String(PROXY_UID);
  return [
    ...['--reuid', id, '--regid', id, '--clear-groups'],
    ...['--inh-caps', PROXY_CAPABILITY, '--ambient-caps', PROXY_CAPABILITY],
  ];
}

/**
 * Makes the router namespace.
 * @param serviceCidrs destinations captured in `user` mode (see capture-rules.ts); default 10.96.0.0/16.
 * @throws Error when namespaces cannot be made; ask findNamespaceMode() first.
 */
export async function createNetwork(
  mode: NamespaceMode,
  serviceCidrs: readonly string[] = ['10.96.0.0/16'],
): Promise<Network> {
  const holders: ManagedProcess[] = [];
  let workloads = 0;
  const userNamespace = mode === 'user' ? ['-U', '--preserve-credentials'] : [];

  const describe = (name: string, address: string, holder: ManagedProcess): NetworkNamespace => {
    const pid = holder.child.pid ?? 0;
    return {
      name,
      address,
      pid,
      enter: (command, user = 'app') => [
        ...['nsenter', '-t', String(pid), ...userNamespace, '-n', '--'],
        ...['setpriv', ...userArguments(mode, user), '--pdeathsig', 'KILL', ...command],
      ],
    };
  };
  const script = (namespace: NetworkNamespace, lines: readonly string[]): Promise<string> =>
    runCommand(namespace.enter(['sh', '-ec', lines.join('\n')]));

  const routerHolder = await holdNamespace('router', ['unshare', mode === 'user' ? '-rn' : '-n', ...HOLD]);
  holders.push(routerHolder);
  const router = describe('router', ROUTER_ADDRESS, routerHolder);

  const close = async (): Promise<void> => {
    await Promise.all(holders.map((holder) => holder.stop('SIGKILL')));
  };
  try {
    await script(router, ['echo 1 > /proc/sys/net/ipv4/ip_forward', `ip addr add ${ROUTER_ADDRESS}/32 dev lo`]);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    mode,
    router,
    close,
    async addRouterAddress(address) {
      await script(router, [`ip addr add ${address}/32 dev lo`]);
    },
    async silence(address) {
      const drop = (action: string) =>
        runCommand(router.enter(['iptables', action, 'INPUT', '-d', address, '-j', 'DROP']));
      await drop('-I');
      return async () => void (await drop('-D'));
    },
    async addWorkload({ name, address, captured = true }) {
      const veth = `veth${++workloads}`;
      const holder = await holdNamespace(name, router.enter(['unshare', '-n', ...HOLD]));
      holders.push(holder);
      const workload = describe(name, address, holder);
      await script(router, [
        `ip link add ${veth} type veth peer name eth0 netns ${workload.pid}`,
        `ip addr add ${GATEWAY}/32 dev ${veth}`,
        `ip link set ${veth} up`,
        `ip route add ${address}/32 dev ${veth} src ${ROUTER_ADDRESS}`,
      ]);
      await script(workload, [
        `ip addr add ${address}/32 dev eth0`,
        'ip link set eth0 up',
        `ip route add ${GATEWAY} dev eth0`,
        `ip route add default via ${GATEWAY} src ${address}`,
      ]);
      if (captured) {
        await runCommand(workload.enter(['iptables-restore', '--noflush']), captureRules({ mode, serviceCidrs }));
      }
      return workload;
    },
  };
}
