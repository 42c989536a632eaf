import type { CapturedTraffic } from './capture-rules.js';
import { type AddressFamily, captureRules, INBOUND_SOURCE } from './capture-rules.js';
import type { Ipv6State } from './ipv6-state.js';
import type { RunProgram } from './run-program.js';

export interface CaptureParts {
  readonly run: RunProgram;
  readonly ipv6: Ipv6State;
  /** Called with a line about each step. */
  readonly report: (line: string) => void;
}

/** The rules cannot be set. The pod must not run without them. */
export class CaptureError extends Error {
  readonly code = 'CAPTURE_FAILED';

  constructor(message: string) {
    super(message);
    this.name = 'CaptureError';
  }
}

const PROGRAMS: Readonly<Record<AddressFamily, string>> = { ipv4: 'iptables', ipv6: 'ip6tables' };
/**
 * Kernels accept rules in two forms, and a machine may support only one. The program without suffix uses the form that
 * the machine has chosen.
 */
const VARIANTS = ['-nft', '-legacy', ''] as const;

/**
 * Sends the traffic of a pod through its proxy: sets the nat rules of this network namespace. A second run sets the
 * same rules.
 *
 * @throws CaptureError if a family that carries traffic cannot be captured
 */
export async function captureTraffic(traffic: CapturedTraffic, { run, ipv6, report }: CaptureParts): Promise<void> {
  report(`IPv4: rules are set with ${await setRules('ipv4', traffic, run)}`);
  if (ipv6 === 'off') return report('IPv6: this network has none');
  try {
    const program = await setRules('ipv6', traffic, run);
    await addInboundSource(run);
    report(`IPv6: rules are set with ${program}`);
  } catch (error) {
    // Without a global address, no traffic leaves the machine, so none bypasses the proxy.
    if (!(error instanceof CaptureError) || ipv6 === 'global') throw error;
    report(`IPv6: not captured, but there are only addresses of this machine: ${error.message}`);
  }
}

/** @returns the program that set the rules */
async function setRules(family: AddressFamily, traffic: CapturedTraffic, run: RunProgram): Promise<string> {
  const complaints: string[] = [];
  for (const variant of VARIANTS) {
    const program = `${PROGRAMS[family]}${variant}`;
    const present = await run([`${program}-save`, '-t', 'nat']);
    if (!present.ok) {
      complaints.push(present.complaint);
      continue;
    }
    const rules = captureRules(family, traffic, present.output);
    const restored = await run([`${program}-restore`, '--noflush', '--wait', '10'], rules);
    if (restored.ok) return `${program}-restore`;
    complaints.push(restored.complaint);
  }
  const remedy = 'the container needs user 0 and the capabilities NET_ADMIN and NET_RAW, and the node iptables';
  throw new CaptureError(`no program could set the rules (${complaints.join(' | ')}); ${remedy}`);
}

/** 127.0.0.6 exists as part of 127.0.0.0/8; ::6 must be added. */
async function addInboundSource(run: RunProgram): Promise<void> {
  const added = await run(['ip', '-6', 'address', 'replace', `${INBOUND_SOURCE.ipv6}/128`, 'dev', 'lo']);
  if (!added.ok) throw new CaptureError(`the address ${INBOUND_SOURCE.ipv6} cannot be added: ${added.complaint}`);
}
