import { cpus } from 'node:os';
import { UsageError } from 'clipanion';
import { MAX_REPEATS } from '../mesh/mesh-change.js';
import { countTcpServices, type MeshSize } from '../mesh/mesh-shape.js';
import { PHASES, type Phase } from '../subject/subject.js';
import { parseWholeNumber, type WholeNumberRange } from './whole-number.js';

/** Ranges of the numbers; the upper ends keep generated addresses inside 10.0.0.0/8. */
export const SERVICES: WholeNumberRange = { from: 10, to: 20_000 };
export const ENDPOINTS: WholeNumberRange = { from: 1, to: 250 };
const NAMESPACES: WholeNumberRange = { from: 1, to: 1000 };
const CLIENTS: WholeNumberRange = { from: 1, to: 10_000 };
const REPEAT: WholeNumberRange = { from: 1, to: MAX_REPEATS };
const WORKERS: WholeNumberRange = { from: 1, to: Math.max(2, cpus().length) };
const TIMEOUT_SECONDS: WholeNumberRange = { from: 1, to: 3600 };

/** Flags as they were given. */
export interface RawMeshFlags {
  readonly services: string;
  readonly endpoints: string;
  readonly namespaces: string;
}

export interface RawBenchFlags extends RawMeshFlags {
  readonly clients: string;
  readonly phases: string | undefined;
  readonly repeat: string;
  readonly workers: string;
  readonly timeout: string;
  readonly target: string | undefined;
  readonly meshDir: string | undefined;
  readonly floor: boolean;
  readonly json: boolean;
  readonly strict: boolean;
}

/** What a run measures, checked. */
export interface BenchOptions {
  readonly size: MeshSize;
  readonly clients: number;
  /** In the order of PHASES. A first sync is always made; without it here it is not reported. */
  readonly phases: readonly Phase[];
  readonly repeat: number;
  /** Worker threads that the clients are spread over. */
  readonly workers: number;
  /** Upper bound of each single wait. */
  readonly timeoutMs: number;
  /** Another server to measure, as host:port, instead of this project's own. */
  readonly target: string | undefined;
  /** The mesh folder that the target watches. */
  readonly meshDir: string | undefined;
  readonly floor: boolean;
  readonly json: boolean;
  /** Exit with 1 when a goal is missed. */
  readonly strict: boolean;
}

/** Checks the size of a mesh. Throws UsageError naming the flag, the value and what is allowed. */
export function parseMeshSize(flags: RawMeshFlags): MeshSize {
  return {
    services: parseWholeNumber('--services', flags.services, SERVICES),
    endpointsPerService: parseWholeNumber('--endpoints', flags.endpoints, ENDPOINTS),
    namespaces: parseWholeNumber('--namespaces', flags.namespaces, NAMESPACES),
  };
}

/** Checks all flags of a run. Throws UsageError naming the flag, the value and what is allowed. */
export function parseBenchOptions(flags: RawBenchFlags): BenchOptions {
  const size = parseMeshSize(flags);
  const changesMesh = flags.target === undefined || flags.meshDir !== undefined;
  if (flags.meshDir !== undefined && flags.target === undefined) {
    throw new UsageError('--mesh-dir: names the folder that a --target watches; give --target too.');
  }
  const phases = parsePhases(flags.phases, changesMesh);
  const options: BenchOptions = {
    size,
    clients: parseWholeNumber('--clients', flags.clients, CLIENTS),
    phases,
    repeat: parseWholeNumber('--repeat', flags.repeat, REPEAT),
    workers: parseWholeNumber('--workers', flags.workers, WORKERS),
    timeoutMs: parseWholeNumber('--timeout', flags.timeout, TIMEOUT_SECONDS) * 1000,
    target: flags.target === undefined ? undefined : parseTarget(flags.target),
    meshDir: flags.meshDir,
    floor: flags.floor,
    json: flags.json,
    strict: flags.strict,
  };
  // Each repeat of the service phase gives another TCP service an HTTP port.
  const changeable = countTcpServices(size.services);
  if (phases.includes('service') && options.repeat > changeable) {
    throw new UsageError(
      `--repeat: "${flags.repeat}" service changes need as many TCP services, and ${size.services} services hold ${changeable}. ` +
        'Ask for fewer repeats or more --services.',
    );
  }
  return options;
}

function parsePhases(value: string | undefined, changesMesh: boolean): readonly Phase[] {
  if (value === undefined) return changesMesh ? PHASES : ['first-sync'];
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PHASES.some((phase) => phase === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `--phases: "${unknown}" is not a phase. Name one or more of ${PHASES.join(', ')}, with commas.`,
    );
  }
  const phases = PHASES.filter((phase) => names.includes(phase));
  if (!changesMesh && phases.some((phase) => phase !== 'first-sync')) {
    throw new UsageError(
      `--phases: "${value}" changes the mesh of the --target; name the folder that it watches with --mesh-dir.`,
    );
  }
  return phases;
}

function parseTarget(value: string): string {
  const match = /^(?<host>\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):(?<port>\d{1,5})$/.exec(value);
  const port = Number(match?.groups?.['port']);
  if (match === null || port < 1 || port > 65_535) {
    throw new UsageError(`--target: "${value}" is not host:port, for example 127.0.0.1:15010 or [::1]:15010.`);
  }
  return value;
}
