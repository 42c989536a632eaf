import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** Memory that is in use after all garbage was collected. */
export interface LiveHeap {
  readonly heapBytes: number;
  /** Buffers and other memory outside of V8's heap that its objects hold. */
  readonly externalBytes: number;
}

/** How to start a process whose live heap can be read. */
export interface ProbedStart {
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** @param socketPath of a socket that does not exist yet */
export function probeHeap(socketPath: string): ProbedStart {
  const probe = pathToFileURL(new URL('./heap-probe.js', import.meta.url).pathname).href;
  return { nodeFlags: ['--expose-gc', '--import', probe], env: { BENCH_HEAP_PROBE: socketPath } };
}

/** Lets a process that was started with `probeHeap` collect its garbage, and reads what is left. */
export async function readLiveHeap(socketPath: string): Promise<LiveHeap> {
  return JSON.parse(await text(connect(socketPath))) as LiveHeap;
}

/** File descriptors of a process; NaN where there is no /proc. */
export async function countFileDescriptors(pid: number): Promise<number> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  return open?.length ?? Number.NaN;
}
