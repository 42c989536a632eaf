// The first layer: a root file system with Node.js, the C libraries, and the programs that set network rules; no shell.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../set-up.mjs';
import { writeLayer } from './layer.mjs';
import { imagePackages } from './obtain-packages.mjs';

const CACHE = join(projectRoot, '.cache/image');
const HERE = dirname(fileURLToPath(import.meta.url));

/** Debian's folders outside of /usr are links into it. */
const USR_LINKS = ['bin', 'lib', 'lib64', 'sbin'];

/** Where containers get file systems, and the folder of packages, which another layer fills. */
const FOLDERS = ['app/node_modules', 'dev', 'etc', 'proc', 'sys', 'tmp'];

/** Of Debian packages, what no program reads. Licences stay. */
const LEFT_OUT = [
  'changelog*',
  'NEWS*',
  '*/man',
  '*/locale',
  '*/lintian',
  '*/bash-completion',
  '*/gconv',
  '*/share/gdb',
];

const FILES = {
  'etc/passwd': 'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnonroot:x:65532:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** The layer, from the cache unless a package or its recipe has changed. See writeLayer() for the result. */
export async function baseLayer() {
  const key = createHash('sha256');
  for (const file of ['base-layer.mjs', 'layer.mjs', 'packages.json']) key.update(readFileSync(join(HERE, file)));
  const record = join(CACHE, `base-${key.digest('hex').slice(0, 16)}.json`);
  const blobs = join(CACHE, 'blobs');
  if (existsSync(record)) return { ...JSON.parse(readFileSync(record, 'utf8')), blobs };

  const root = mkdtempSync(join(tmpdir(), 'navigator-base-'));
  try {
    fillRoot(root);
    const layer = await writeLayer(['-C', root, '.'], blobs);
    // Without the folder of blobs: a cache may be moved.
    writeFileSync(`${record}.${process.pid}`, JSON.stringify({ ...layer, blobs: undefined }));
    renameSync(`${record}.${process.pid}`, record);
    return layer;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function fillRoot(root) {
  chmodSync(root, 0o755);
  for (const folder of [...FOLDERS, ...USR_LINKS.map((name) => `usr/${name}`)]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of USR_LINKS) symlinkSync(`usr/${name}`, join(root, name));
  for (const { file } of imagePackages()) {
    if (file.endsWith('.deb')) unpackDebian(file, root);
    else unpackNode(file, root);
  }
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  bundleCertificates(root);
  chmodSync(join(root, 'tmp'), 0o1777);
}

function unpackDebian(file, root) {
  const archive = execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 256 * 1024 * 1024 });
  const excluded = LEFT_OUT.map((pattern) => `--exclude=${pattern}`);
  execFileSync('tar', ['-xp', '--no-same-owner', '--keep-directory-symlink', ...excluded, '-C', root], {
    input: archive,
  });
}

function unpackNode(file, root) {
  const target = join(root, 'nodejs');
  mkdirSync(target);
  execFileSync('tar', [
    ...['-xzp', '--no-same-owner', '--strip-components=1', '-C', target, '-f', file],
    ...['package/bin/node', 'package/LICENSE'],
  ]);
}

/** What update-ca-certificates does in Debian when the package is installed. */
function bundleCertificates(root) {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const texts = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}
