// The archive of an image: the OCI image layout, with the file that `docker load` of older engines reads.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hexOf, SAME_TAR } from './layer.mjs';

const OCI = 'application/vnd.oci.image';

/**
 * Writes the archive, and returns the digest of the image's manifest.
 *
 * @param file the archive; its layout is made in a folder beside it
 * @param image { name, tag, created, config, layers }: `config` as in the OCI image specification
 */
export function writeArchive(file, { name, tag, created, config, layers }) {
  const layout = `${file}.layout`;
  const blobs = join(layout, 'blobs/sha256');
  rmSync(layout, { recursive: true, force: true });
  mkdirSync(blobs, { recursive: true });
  const addJson = (mediaType, value) => {
    const text = JSON.stringify(value);
    const hex = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(blobs, hex), text);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
  };
  const pathOf = ({ digest }) => `blobs/sha256/${hexOf(digest)}`;

  for (const layer of layers) copyFileSync(join(layer.blobs, hexOf(layer.digest)), join(layout, pathOf(layer)));
  const described = addJson(`${OCI}.config.v1+json`, {
    created,
    architecture: 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'npm run image' })),
  });
  const manifest = addJson(`${OCI}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: described,
    layers: layers.map(({ digest, size }) => ({ mediaType: `${OCI}.layer.v1.tar+gzip`, digest, size })),
    // Registries show annotations without the configuration.
    annotations: config.Labels,
  });
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}:${tag}`,
    'org.opencontainers.image.ref.name': tag,
  };
  const write = (path, value) => writeFileSync(join(layout, path), JSON.stringify(value));
  write('oci-layout', { imageLayoutVersion: '1.0.0' });
  write('index.json', {
    schemaVersion: 2,
    mediaType: `${OCI}.index.v1+json`,
    manifests: [{ ...manifest, annotations, platform: { architecture: 'amd64', os: 'linux' } }],
  });
  write('manifest.json', [{ Config: pathOf(described), RepoTags: [`${name}:${tag}`], Layers: layers.map(pathOf) }]);
  mkdirSync(dirname(file), { recursive: true });
  const content = ['oci-layout', 'index.json', 'manifest.json', 'blobs'];
  execFileSync('tar', ['-cf', file, ...SAME_TAR, '--mode=u=rwX,go=rX', '-C', layout, ...content]);
  rmSync(layout, { recursive: true, force: true });
  return manifest.digest;
}
