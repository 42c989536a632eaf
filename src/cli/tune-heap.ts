import v8 from 'node:v8';

/**
 * Disables pretenuring, V8's guess which objects live long. V8 learns it at the start, when the server keeps everything that
 * it reads. Later it would allocate short-lived objects in the old generation: scavenges of many small objects would take
 * three times as long, and garbage would wait for a full collection. Call it before the server is loaded.
 */
export function tuneHeap(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
