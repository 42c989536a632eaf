import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { PROXY_UID } from '../capture-rules.js';
import { runCommand } from '../command.js';
import { startManagedProcess } from '../managed-process.js';
import type { NetworkNamespace } from '../network.js';
import { projectRoot } from '../project-root.js';
import type { ClusterPrograms } from './find-cluster.js';

/** Address of the node, as pods see it (hack/testcluster/up.sh). */
export const NODE_ADDRESS = '10.0.0.1';

/** A one-node Kubernetes whose pods run, as processes, in namespaces of their own (hack/testcluster/up.sh). */
export interface Cluster {
  /** Everything of it; logs of containers are in pods/<namespace>_<pod>/<container>.log. */
  readonly folder: string;
  /**
   * Runs kubectl as the administrator.
   *
   * @param input text for its standard input, for `-f -`
   * @throws Error with its errors
   */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Wraps a command so that it runs on the node, beside the cluster: it reaches pods, and they reach it. */
  onNode(command: readonly string[]): readonly string[];
  /** A running pod, to act inside of as `kubectl exec` would: in its network, with its files. */
  enterPod(name: string): NetworkNamespace;
  /** Kills all processes of a pod. */
  killPod(name: string): void;
  /** Kills the API server, which restarts about three seconds later (settles then). All other programs continue. */
  restartApiServer(): Promise<void>;
  /** The last output of the containers of a pod. */
  tail(namespace: string, pod: string): string;
  close(): Promise<void>;
}

/** Only ends the wait: the script and its programs exit by themselves when they cannot start. */
const START_TIMEOUT_MS = 180_000;
const TAIL_CHARS = 3_000;

/** Pods of our image run the built tree, pods of Envoy's run the real one as the user whose traffic is not captured. */
async function writeImages(folder: string, envoy: string): Promise<readonly string[]> {
  const programs = join(projectRoot(), 'build/programs');
  const proxy = ['--reuid', PROXY_UID, '--regid', PROXY_UID, '--clear-groups'];
  // As in network.ts: folders above the program may be searchable for root alone.
  const capability = ['inh', 'ambient'].map((set) => `--${set}-caps -all,+dac_read_search`);
  const images = {
    'navigator-discovery': [
      'program=navigator-discovery.js; [ "$1" != serve ] || program=navigator-policy.js',
      `exec '${process.execPath}' "${programs}/$program" "$@"`,
    ],
    envoy: [`exec setpriv ${[...proxy, ...capability].join(' ')} '${envoy}' "$@"`],
    // That of the samples' apps: it runs its arguments, with Node in the path.
    node: [`export PATH='${dirname(process.execPath)}':"$PATH"`, 'exec "$@"'],
  };
  const flags = ['--image', 'host=host'];
  for (const [image, lines] of Object.entries(images)) {
    const file = join(folder, `${image}.sh`);
    await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
    flags.push('--image', `${image}=${file}`);
  }
  return flags;
}

/** Starts it and waits until it takes pods (about five seconds). The kernel ends all of it when we end. */
export async function startCluster({ folder: programs, envoy }: ClusterPrograms): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-cluster-'));
  const script = join(projectRoot(), 'hack/testcluster/up.sh');
  const up = startManagedProcess({
    name: 'up.sh',
    command: [
      ...['setpriv', '--pdeathsig', 'KILL', 'unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...[script, programs, folder, ...(await writeImages(folder, envoy))],
    ],
  });
  const close = async (): Promise<void> => {
    // Its first process takes the PID namespace with it, and so everything that it started.
    await up.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    await eventually(
      'the cluster is up',
      () => {
        if (!up.isRunning()) throw new Error(up.tail());
        return existsSync(join(folder, 'ready'));
      },
      { timeoutMs: START_TIMEOUT_MS },
    );
  } catch (error) {
    await close();
    throw error;
  }
  const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--cache-dir', join(folder, 'kubectl')];
  const node = ['nsenter', '-t', String(childOf(up.child.pid ?? 0))];
  const onNode: Cluster['onNode'] = (command) => [...node, '-n', 'setpriv', '--pdeathsig', 'KILL', ...command];
  const kubectl: Cluster['kubectl'] = (args, input) => runCommand(onNode(['kubectl', ...flags, ...args]), input);

  return {
    folder,
    kubectl,
    onNode,
    close,
    enterPod: (name) => {
      const [pid] = processesOf(name);
      if (pid === undefined) throw new Error(`pod ${name} does not run`);
      const inside = ['nsenter', '-t', String(pid), '-n', '-m', '-r', 'setpriv', '--pdeathsig', 'KILL'];
      return { name, address: '127.0.0.1', pid, enter: (command) => [...inside, ...command] };
    },
    killPod: (name) => {
      for (const pid of processesOf(name)) process.kill(pid, 'SIGKILL');
    },
    restartApiServer: async () => {
      const pidOf = () => readFileSync(join(folder, 'kube-apiserver.pid'), 'utf8');
      const before = pidOf();
      // Its number is that of the cluster's own PID namespace.
      await runCommand([...node, '-p', 'sh', '-c', `kill -KILL ${before}`]);
      await eventually(
        'the API server is back',
        async () => pidOf() !== before && (await kubectl(['get', '--raw', '/readyz'])) === 'ok',
        { timeoutMs: START_TIMEOUT_MS, intervalMs: 100 },
      );
    },
    tail: (namespace, pod) => {
      const logs = join(folder, 'pods', `${namespace}_${pod}`);
      return readdirSync(logs)
        .filter((file) => file.endsWith('.log'))
        .map((file) => `${pod}/${file}: ${readFileSync(join(logs, file), 'utf8').slice(-TAIL_CHARS)}`)
        .join('\n');
    },
  };
}

function allProcesses(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** A file of a process in /proc; empty when it has ended. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function childOf(parent: number): number {
  const child = allProcesses().find((pid) => readProcess(pid, 'status').includes(`\nPPid:\t${parent}\n`));
  if (child === undefined) throw new Error('up.sh has ended');
  return child;
}

/** Processes of a pod's containers: pods have names of their own, and each container knows its pod's. */
function processesOf(pod: string): readonly number[] {
  return allProcesses().filter((pid) => readProcess(pid, 'environ').split('\0').includes(`HOSTNAME=${pod}`));
}
