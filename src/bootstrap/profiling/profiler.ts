import { Session } from 'node:inspector/promises';
import type { Clock } from '../../base/clock.js';
import { encodeProfile, type Frame, type StackSample } from './pprof.js';

/** Makes profiles of this process, in the format of pprof. */
export interface Profiler {
  /** Samples the CPU. @param seconds how long */
  cpu(seconds: number): Promise<Uint8Array>;
  /** The live heap, by the places that allocated it, as V8 has sampled them since the profiler was created. */
  heap(): Promise<Uint8Array>;
  /** Open handles and running requests, by type: the counterpart of goroutines. */
  handles(): Uint8Array;
}

const SAMPLE_US = 10_000;
/** One allocation in so many bytes: this costs a process that always samples next to nothing. */
const HEAP_SAMPLE_BYTES = 128 * 1024;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** Samples the heap from now on, because only then can `heap` tell what is live. */
export function createProfiler(clock: Clock): Profiler {
  const sampling = sampleHeap();
  // `heap` reports the error.
  sampling.catch(() => undefined);
  const startMs = clock.monotonicMs();
  const wait = (seconds: number): Promise<void> =>
    new Promise((resolve) => void clock.schedule(seconds * 1000, resolve));
  return {
    cpu: (seconds) =>
      withSession(async (session) => {
        await session.post('Profiler.enable');
        await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
        await session.post('Profiler.start');
        const at = clock.now();
        await wait(seconds);
        const { profile } = await session.post('Profiler.stop');
        return encodeProfile({
          types: [
            { type: 'samples', unit: 'count' },
            { type: 'cpu', unit: 'nanoseconds' },
          ],
          periodType: { type: 'cpu', unit: 'nanoseconds' },
          period: SAMPLE_US * 1000,
          at,
          durationMs: (profile.endTime - profile.startTime) / 1000,
          samples: cpuSamples(profile),
        });
      }),
    heap: async () => {
      const session = await sampling;
      const { profile } = await session.post('HeapProfiler.getSamplingProfile');
      return encodeProfile({
        types: [
          { type: 'inuse_objects', unit: 'count' },
          { type: 'inuse_space', unit: 'bytes' },
        ],
        periodType: { type: 'space', unit: 'bytes' },
        period: HEAP_SAMPLE_BYTES,
        at: clock.now(),
        durationMs: clock.monotonicMs() - startMs,
        samples: heapSamples(profile.head, []),
      });
    },
    handles: () => {
      const counts = new Map<string, number>();
      for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
      return encodeProfile({
        types: [{ type: 'goroutine', unit: 'count' }],
        periodType: { type: 'goroutine', unit: 'count' },
        period: 1,
        at: clock.now(),
        durationMs: 0,
        samples: [...counts].map(([name, count]) => ({ frames: [{ name, file: 'node', line: 1 }], values: [count] })),
      });
    },
  };
}

/** The session must stay connected. */
async function sampleHeap(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.enable');
  await session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_SAMPLE_BYTES });
  return session;
}

async function withSession<Result>(use: (session: Session) => Promise<Result>): Promise<Result> {
  const session = new Session();
  session.connect();
  try {
    return await use(session);
  } finally {
    session.disconnect();
  }
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[] | undefined;
  }[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
}

function* cpuSamples({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Generator<StackSample> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const totals = new Map<number, { count: number; us: number }>();
  for (const [index, id] of samples.entries()) {
    const total = totals.get(id) ?? { count: 0, us: 0 };
    total.count++;
    // The time since the sample before belongs to that one; the distances are nearly equal.
    total.us += Math.max(0, timeDeltas[index] ?? 0);
    totals.set(id, total);
  }
  for (const [id, { count, us }] of totals) {
    const frames: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node !== undefined && node.callFrame.functionName !== '(root)') frames.push(frameOf(node.callFrame));
    }
    // A waiting event loop uses no CPU.
    if (frames.length === 0 || frames[0]?.name === '(idle)') continue;
    yield { frames, values: [count, us * 1000] };
  }
}

interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

function* heapSamples(node: HeapNode, above: readonly Frame[]): Generator<StackSample> {
  const isRoot = node.callFrame.functionName === '(root)';
  const frames = isRoot ? above : [frameOf(node.callFrame), ...above];
  if (node.selfSize > 0 && frames.length > 0) {
    yield { frames, values: [Math.max(1, Math.round(node.selfSize / HEAP_SAMPLE_BYTES)), node.selfSize] };
  }
  for (const child of node.children) yield* heapSamples(child, frames);
}

function frameOf({ functionName, url, lineNumber }: CallFrame): Frame {
  return {
    name: functionName === '' ? '(anonymous)' : functionName,
    file: url === '' ? 'node' : url,
    line: lineNumber + 1,
  };
}
