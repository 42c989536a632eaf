import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../counterparts/command.js';

/** How an image starts: the fields of the OCI image configuration that we use. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

/** An unpacked image. */
export interface UnpackedImage {
  /** Folder with the content of all layers. */
  readonly root: string;
  readonly config: ImageConfig;
  /** Of the image's manifest. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The names and blobs that `docker load` reads; they must be those of the OCI layout. */
  readonly loaded: {
    readonly Config: string;
    readonly RepoTags: readonly string[];
    readonly Layers: readonly string[];
  };
  /** The blobs that the OCI layout names. */
  readonly blobs: { readonly config: string; readonly layers: readonly string[] };
}

/**
 * Follows an archive from its index to its layers as an engine does, and unpacks the layers in order.
 *
 * @throws Error when a blob has another size or digest than its descriptor says
 */
export async function unpackImage(archive: string, folder: string): Promise<UnpackedImage> {
  const layout = join(folder, 'layout');
  const root = join(folder, 'root');
  await Promise.all([mkdir(layout), mkdir(root)]);
  await runCommand(['tar', '-xf', archive, '-C', layout]);
  const json = <Value>(path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8')) as Value;
  const blob = ({ digest, size }: Descriptor): string => {
    const path = `blobs/${digest.replace(':', '/')}`;
    const bytes = readFileSync(join(layout, path));
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (found !== digest || bytes.length !== size) throw new Error(`${path}: has ${bytes.length} bytes of ${found}`);
    return path;
  };

  const index = json<{ manifests: readonly [Descriptor] }>('index.json');
  const manifest = json<{
    config: Descriptor;
    layers: readonly Descriptor[];
    annotations: Record<string, string>;
  }>(blob(index.manifests[0]));
  const blobs = { config: blob(manifest.config), layers: manifest.layers.map(blob) };
  const { config, rootfs } = json<{ config: ImageConfig; rootfs: { diff_ids: readonly string[] } }>(blobs.config);
  if (rootfs.diff_ids.length !== blobs.layers.length) throw new Error('as many layers as digests of their content');
  for (const layer of blobs.layers) await runCommand(['tar', '-xzpf', join(layout, layer), '-C', root]);
  const [loaded] = json<readonly [UnpackedImage['loaded']]>('manifest.json');
  return { root, config, annotations: manifest.annotations, loaded, blobs };
}
