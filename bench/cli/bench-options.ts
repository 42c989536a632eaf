import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { VARIANTS, type Variant } from '../client/ads-stream.js';
import { MAX_REPEATS } from '../mesh/mesh-change.js';
import { countTcpServices, type MeshContent } from '../mesh/mesh-shape.js';
import { PHASES, type Phase } from '../subject/subject.js';
import type { Flags } from './bench-command.js';
import { MESH_FLAGS, parseMeshSize } from './mesh-flags.js';
import type { ParsedFlags } from './parsed-flags.js';
import { UsageError } from './usage-error.js';
import { parseWholeNumber, type WholeNumberRange } from './whole-number.js';
import { RESULT_FLAGS } from './write-result.js';

const CLIENTS: WholeNumberRange = { from: 1, to: 10_000 };
const REPEAT: WholeNumberRange = { from: 1, to: MAX_REPEATS };
const WARM_UP: WholeNumberRange = { from: 0, to: MAX_REPEATS };
const WORKERS: WholeNumberRange = { from: 1, to: Math.max(2, availableParallelism()) };
const TIMEOUT_SECONDS: WholeNumberRange = { from: 1, to: 3600 };

/** Checked options of a run. */
export interface BenchOptions {
  readonly size: MeshContent;
  readonly clients: number;
  /** How the clients speak xDS. */
  readonly protocol: Variant;
  /** The clients are sidecars on demand that call nothing; one more client is not on demand. */
  readonly onDemand: boolean;
  /** In the order of PHASES. A first sync is always made; without it here it is not reported. */
  readonly phases: readonly Phase[];
  readonly repeat: number;
  /** Changes of each phase that are made before, and not counted. */
  readonly warmUp: number;
  /** Worker threads that the clients are spread over. */
  readonly workers: number;
  /** Upper bound of each single wait. */
  readonly timeoutMs: number;
  /** Another server to measure, as host:port, instead of this project's own. */
  readonly target: string | undefined;
  /** The mesh folder that the target watches. */
  readonly meshDir: string | undefined;
  /** Where the server reads the mesh: a folder, or a Kubernetes API server. */
  readonly source: MeshSourceName;
  /** Folder for CPU profiles of the server, one for each start. */
  readonly profileFolder: string | undefined;
  /** Measure the floor too. */
  readonly floor: boolean;
}

const SOURCES = ['folder', 'kubernetes'] as const;
export type MeshSourceName = (typeof SOURCES)[number];

export const BENCH_FLAGS = {
  ...MESH_FLAGS,
  clients: { placeholder: 'N', default: '200', description: 'sidecars that connect' },
  protocol: { placeholder: VARIANTS.join('|'), default: 'sotw', description: 'state of the world, or delta xDS' },
  'on-demand': {
    default: false,
    description: 'sidecars on demand that call nothing, and one more that is not on demand',
  },
  phases: { placeholder: 'LIST', description: `some of ${PHASES.join(',')} (default all but storm)` },
  repeat: { placeholder: 'N', default: '3', description: 'repeats of each phase; the median counts' },
  'warm-up': {
    placeholder: 'N',
    default: '10',
    description: 'changes of each phase that are made before, and not counted',
  },
  workers: { placeholder: 'N', default: '1', description: 'threads that the clients are spread over' },
  timeout: { placeholder: 'SECONDS', default: '60', description: 'how long any single wait may take' },
  target: { placeholder: 'HOST:PORT', description: 'measure another ADS server, which is running already' },
  'mesh-dir': { placeholder: 'DIR', description: 'the folder that the --target watches, for its change phases' },
  source: { placeholder: 'NAME', default: 'folder', description: `where the mesh is: ${SOURCES.join(' or ')}` },
  profile: { placeholder: 'DIR', description: 'write a CPU profile of each server there' },
  floor: { default: true, description: 'leave out the floor' },
  ...RESULT_FLAGS,
} as const satisfies Flags;

/**
 * Checks all flags of a run.
 *
 * @throws UsageError with the flag, the value and the allowed values
 */
export function parseBenchOptions(flags: ParsedFlags): BenchOptions {
  const size = parseMeshSize(flags);
  const target = flags.text('target');
  const meshDir = flags.text('mesh-dir');
  const profile = flags.text('profile');
  if (meshDir !== undefined && target === undefined) {
    throw new UsageError(`--mesh-dir: "${meshDir}" is the folder that a --target watches; give --target too.`);
  }
  const protocol = parseProtocol(flags.text('protocol'));
  const onDemand = flags.isOn('on-demand');
  if (onDemand && protocol !== 'delta') {
    throw new UsageError('--on-demand: sidecars on demand speak delta xDS; give --protocol delta too.');
  }
  const options: BenchOptions = {
    size,
    protocol,
    onDemand,
    clients: parseWholeNumber('--clients', flags.text('clients'), CLIENTS),
    phases: parsePhases(flags.text('phases'), size, target === undefined || meshDir !== undefined, protocol, onDemand),
    repeat: parseWholeNumber('--repeat', flags.text('repeat'), REPEAT),
    warmUp: parseWholeNumber('--warm-up', flags.text('warm-up'), WARM_UP),
    workers: parseWholeNumber('--workers', flags.text('workers'), WORKERS),
    timeoutMs: parseWholeNumber('--timeout', flags.text('timeout'), TIMEOUT_SECONDS) * 1000,
    source: parseSource(flags.text('source'), target),
    target: target === undefined ? undefined : parseTarget(target),
    meshDir,
    profileFolder: profile === undefined ? undefined : resolve(profile),
    // The floor sends each client the smallest recorded message of a type, and the witness needs larger ones.
    floor: flags.isOn('floor') && !onDemand,
  };
  checkRepeat(options);
  return options;
}

/** Each repeat of the service phase gives another TCP service an HTTP port, so there must be as many. */
function checkRepeat({ phases, repeat, size }: BenchOptions): void {
  const changeable = countTcpServices(size.services);
  if (!phases.includes('service') || repeat <= changeable) return;
  throw new UsageError(
    `--repeat: "${repeat}" service changes need as many TCP services, and of ${size.services} services ${changeable} are. ` +
      'Ask for fewer repeats or more --services.',
  );
}

function parseProtocol(value: string | undefined): Variant {
  const variant = VARIANTS.find((each) => each === value);
  if (variant !== undefined) return variant;
  throw new UsageError(`--protocol: "${value}" is not a protocol. Name one of ${VARIANTS.join(', ')}.`);
}

function parseSource(value: string | undefined, target: string | undefined): MeshSourceName {
  const source = SOURCES.find((each) => each === value);
  if (source === undefined) {
    throw new UsageError(`--source: "${value}" is not a source. Name one of ${SOURCES.join(', ')}.`);
  }
  if (source !== 'folder' && target !== undefined) {
    throw new UsageError(`--source: "${source}" is for this project's own server; leave out --target.`);
  }
  return source;
}

function parsePhases(
  value: string | undefined,
  size: MeshContent,
  changesMesh: boolean,
  protocol: Variant,
  onDemand: boolean,
): readonly Phase[] {
  // A client of a scope does not see every change.
  const possible = PHASES.filter((phase) => {
    if (phase === 'reconnect') return protocol === 'delta' && !onDemand;
    if (phase === 'storm') return protocol === 'delta' && !onDemand && changesMesh && size.scopes === 0;
    return phase === 'first-sync' || (changesMesh && size.scopes === 0 && (phase !== 'route' || size.routed > 0));
  });
  // A storm is asked for: it needs many more clients than the other phases.
  if (value === undefined) return possible.filter((phase) => phase !== 'storm');
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PHASES.some((phase) => phase === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `--phases: "${unknown}" is not a phase. Name one or more of ${PHASES.join(', ')}, with commas.`,
    );
  }
  const phases = PHASES.filter((phase) => names.includes(phase));
  if (!changesMesh && phases.some((phase) => phase !== 'first-sync' && phase !== 'reconnect')) {
    throw new UsageError(
      `--phases: "${value}" changes the mesh of the --target; name the folder that it watches with --mesh-dir.`,
    );
  }
  const impossible = phases.find((phase) => !possible.includes(phase));
  if (impossible !== undefined) {
    throw new UsageError(
      `--phases: "${impossible}" cannot be measured: ` +
        (impossible === 'reconnect' || impossible === 'storm'
          ? onDemand
            ? 'with --on-demand the clients have no assignment to lose.'
            : protocol !== 'delta'
              ? 'it needs --protocol delta.'
              : 'with --scopes not every client sees the change.'
          : size.scopes > 0
            ? 'with --scopes not every client sees the change.'
            : 'it needs --routed 1 or more.'),
    );
  }
  return phases;
}

function parseTarget(value: string): string {
  const match = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):(?<port>\d{1,5})$/.exec(value);
  const port = Number(match?.groups?.['port']);
  if (port >= 1 && port <= 65_535) return value;
  throw new UsageError(`--target: "${value}" is not host:port, for example 127.0.0.1:15010 or [::1]:15010.`);
}
