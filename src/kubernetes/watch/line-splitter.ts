/** Longest accepted line; the largest object that an API server stores has a few MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Splits a stream into lines. Each byte of a chunk is read once, however long a line grows. */
export function createLineSplitter(): (chunk: Buffer) => readonly string[] {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      const line = pending.length === 0 ? last : Buffer.concat([...pending, last]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) lines.push(line.toString('utf8'));
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
    }
    if (pendingBytes > MAX_LINE_BYTES) throw new Error(`a watch event is longer than ${MAX_LINE_BYTES} bytes`);
    return lines;
  };
}
