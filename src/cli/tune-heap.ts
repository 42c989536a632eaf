import v8 from 'node:v8';

/**
 * Tells V8 not to guess which objects will live long. It learns from the start, when all that is read is kept, and
 * would put what later requests and changes need for a moment among the old objects from then on: scavenges of many
 * small objects take three times as long, and garbage waits for a full collection. To be called before the server is
 * loaded.
 */
export function tuneHeap(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
