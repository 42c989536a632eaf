import v8 from 'node:v8';

/**
 * Tunes the heap for a process that answers checks; call it at the first one, so that processes without checks keep a small heap.
 *
 * A check allocates some 15 KiB that live for less than a millisecond. V8 begins with a young generation of 1 MiB and doubles it
 * while much survives. Of checks nearly nothing survives, so it stayed small: at 3,000 checks per second V8 stopped the process
 * 12 to 45 times a second for 1 to 8 ms, which more than one request in a hundred met. With a growth factor of 16, the first
 * growth goes to its maximum (16 MiB), and leaves 5 stops a second.
 *
 * A stop of a small heap is short for one thread. V8 would divide it among five, and wait for each of them, also on two cores
 * that proxies keep busy.
 */
export function tuneHeapForChecks(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=16');
  v8.setFlagsFromString('--no-parallel-scavenge');
}
