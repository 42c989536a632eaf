// Layers of the image: gzipped tar archives whose bytes depend on names, modes and content alone.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Everything belongs to root and is of 1970; no header has the time of an access or the id of a process. */
export const SAME_TAR = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];

/** The name of a blob's file. */
export const hexOf = (digest) => digest.slice('sha256:'.length);

/** Hashes and counts what passes. */
function meter() {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ digest: `sha256:${hash.digest('hex')}`, size }) };
}

/**
 * Writes a layer into a folder of blobs, named by its digest.
 *
 * @param tarArgs what GNU tar packs
 * @returns { blobs, digest, size, diffId }: diffId is the digest before compression
 */
export async function writeLayer(tarArgs, blobs) {
  mkdirSync(blobs, { recursive: true });
  const tar = spawn('tar', ['-c', ...SAME_TAR, ...tarArgs], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    tar.on('error', reject);
    tar.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar ended with ${code}; see above`))));
  });
  const [plain, packed] = [meter(), meter()];
  const draft = join(blobs, `new-${randomUUID()}`);
  await Promise.all([
    ended,
    pipeline(tar.stdout, plain.stream, createGzip({ level: 5 }), packed.stream, createWriteStream(draft)),
  ]);
  const { digest, size } = packed.result();
  renameSync(draft, join(blobs, hexOf(digest)));
  return { blobs, digest, size, diffId: plain.result().digest };
}
