import { once } from 'node:events';
import { errorText } from '../../../src/base/error-text.js';
import type { PreparedServer } from './attack.js';
import type { AttackedCluster } from './attacked-cluster.js';
import { type AttackedServer, type AttackedServerOptions, startAttackedServer } from './attacked-server.js';
import { type ProbeReport, type ProbeUser, startProbe } from './probe.js';
import { createAdsUser, createNewcomer } from './probes/ads-user.js';
import { createCheckUser } from './probes/check-user.js';
import { createDnsUser } from './probes/dns-user.js';
import { createReadyUser } from './probes/ready-user.js';
import { createReviewUser } from './probes/review-user.js';
import { loadAttack, runAttack } from './run-attack.js';
import { BOOKS, PAPERS, VICTIM } from './tenants.js';

/** How long the probes act alone before and after an attack. */
const CALM_MS = 1_000;
/** Of the output of a server that ended; the stack of an error has some twenty. */
const TAIL_LINES = 200;

/** The end of a server that was to live. */
export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines of its output and its errors. */
  readonly tail: string;
}

/** The effects of attacks on a server and its users. */
export interface Outcome extends ProbeReport {
  /** The line of each attack, or its failure. */
  readonly attacks: readonly string[];
  /** Failures of attacks: a mistake in the attack, or a broken promise of the server. */
  readonly failures: readonly string[];
  /** How the server ended, with all that it printed last; undefined while it lives. */
  readonly end: ServerEnd | undefined;
  readonly peakBytes: number;
  readonly limitBytes: number;
}

export interface AttackOptions extends AttackedServerOptions {
  /** Default 1. */
  readonly scale?: number;
  /** Legitimate users beside those of every attack. */
  readonly moreUsers?: (server: AttackedServer) => Promise<readonly ProbeUser[]>;
  /** Looks at the server after the attack, before it is ended. */
  readonly after?: (server: AttackedServer) => Promise<void>;
}

/**
 * Runs attacks at the same time against a server of their own.
 *
 * @param names files in `attacks/`, without `.ts`
 */
export async function putUnderAttack(
  cluster: AttackedCluster,
  names: readonly string[],
  { scale = 1, after, moreUsers, ...options }: AttackOptions = {},
): Promise<Outcome> {
  const attacked = await Promise.all(names.map(loadAttack));
  const policyConfig = attacked.map((attack) => attack.policyConfig).find((text) => text !== undefined);
  const prepared: PreparedServer[] = [];
  for (const attack of attacked) if (attack.prepare !== undefined) prepared.push(await attack.prepare());
  const env = Object.assign({}, ...prepared.map((each) => each.env), options.env) as Record<string, string>;
  const server = await startAttackedServer(cluster, {
    ...(policyConfig === undefined ? {} : { policyConfig }),
    ...options,
    env,
  }).catch(async (error: unknown) => {
    for (const each of prepared) await each.close();
    throw error;
  });
  try {
    const probe = startProbe([...legitimateUsers(server), ...((await moreUsers?.(server)) ?? [])]);
    await calm();
    const settled = await Promise.allSettled(names.map((name) => runAttack(name, server.target, scale)));
    const failures = settled.flatMap((each) => (each.status === 'rejected' ? [errorText(each.reason)] : []));
    await calm();
    const report = await probe.stop();
    const end = await endOf(server);
    if (end === undefined) await after?.(server);
    return {
      ...report,
      attacks: settled.map((each) => (each.status === 'fulfilled' ? each.value : errorText(each.reason))),
      failures,
      end,
      peakBytes: server.memory.peak(),
      limitBytes: server.memoryLimitBytes,
    };
  } finally {
    await server.close();
    for (const each of prepared) await each.close();
  }
}

async function endOf({ process: { child, exited, isRunning, tail } }: AttackedServer): Promise<ServerEnd | undefined> {
  if (isRunning()) return undefined;
  // Its last output may still be in the pipes.
  for (const stream of [child.stdout, child.stderr]) if (stream?.closed === false) await once(stream, 'close');
  return { ...(await exited), tail: tail(TAIL_LINES) };
}

function legitimateUsers({ target, victim }: AttackedServer): readonly ProbeUser[] {
  const credentials = { ...victim, ...VICTIM };
  const clusterOf = (host: string): string => `outbound|80||${host}`;
  return [
    createAdsUser(target, credentials, [clusterOf(BOOKS), clusterOf(PAPERS)]),
    createNewcomer(target, credentials, clusterOf(BOOKS)),
    createReadyUser(target),
    createReviewUser(target),
    createCheckUser(target, credentials, BOOKS),
    createDnsUser(target, 'udp', BOOKS),
    createDnsUser(target, 'tcp', BOOKS),
  ];
}

function calm(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, CALM_MS));
}
