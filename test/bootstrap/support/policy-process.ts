import { type ManagedProcess, startManagedProcess } from '../../counterparts/managed-process.js';
import { programFile } from '../../counterparts/program-file.js';
import { eventually } from '../../support/eventually.js';
import type { Teardown } from './cleanup.js';
import { createHttpReader, type HttpReader } from './http-reader.js';
import type { LogLine } from './running-server.js';

const MAIN = programFile('navigator-policy');

/** `navigator-policy serve` as users run it. */
export interface PolicyServerProcess {
  readonly process: ManagedProcess;
  readonly policyPort: number;
  readonly monitoring: HttpReader;
  log(): readonly LogLine[];
}

/** Runs it on free ports of the loopback interface, and waits until it listens; it ends with the test at the latest. */
export async function startPolicyProcess(t: Teardown, flags: readonly string[]): Promise<PolicyServerProcess> {
  const managed = startPolicyBinary(t, flags);
  const log = (): LogLine[] => managed.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const listens = (): LogLine | undefined => log().find(({ msg }) => msg === 'policy server listens');
  await eventually('the policy server listens', () => listens() !== undefined || !managed.isRunning());
  const line = listens();
  if (line === undefined) throw new Error(`the policy server ended: ${managed.tail()}`);
  return {
    process: managed,
    policyPort: portOf(line['policy']),
    monitoring: createHttpReader(portOf(line['monitoring'])),
    log,
  };
}

/** Runs the binary with the flags; later ones win over the free ports. */
export function startPolicyBinary(t: Teardown, flags: readonly string[]): ManagedProcess {
  const addresses = ['--policyAddr', '--monitoringAddr'].flatMap((flag) => [flag, '127.0.0.1:0']);
  const plaintext = '--discoveryRootCert=';
  const managed = startManagedProcess({
    name: 'navigator-policy',
    command: [process.execPath, MAIN, 'serve', '--log_as_json', plaintext, ...addresses, ...flags],
    env: { NAV_METRICS_MIN_INTERVAL: '0s' },
  });
  t.teardown(() => managed.stop('SIGKILL'));
  return managed;
}

function portOf(address: unknown): number {
  return Number(String(address).split(':').at(-1));
}
