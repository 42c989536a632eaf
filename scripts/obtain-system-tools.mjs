// The system programs that tests and the demo need, installed with apt-get where we may.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { note } from './terminal.mjs';

/** Program and the Debian package it comes in. */
const NAMESPACE_TOOLS = [
  ['ip', 'iproute2'],
  ['iptables', 'iptables'],
  ['unshare', 'util-linux'],
  ['nsenter', 'util-linux'],
  ['setpriv', 'util-linux'],
];
const CLUSTER_TOOLS = [
  ['openssl', 'openssl'],
  ['busybox', 'busybox'],
];
const PAGE_TOOLS = [
  ['curl', 'curl'],
  ['dig', 'bind9-dnsutils'],
];
/** The compiler of .proto files, and those of Google that they import. */
const PROTOC = [
  ['protoc', 'protobuf-compiler'],
  ['/usr/include/google/protobuf/any.proto', 'libprotobuf-dev'],
];
const REDIS = [['redis-server', 'redis-server']];
const CHROMIUM = [['chromium', 'chromium']];

/** @param program or the path of a file */
function isThere(program) {
  if (program.startsWith('/')) return existsSync(program);
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

function obtain(tools) {
  const absent = () => tools.filter(([program]) => !isThere(program));
  const packages = [...new Set(absent().map(([, name]) => name))];
  if (packages.length === 0) return {};
  if (process.getuid() === 0 && isThere('apt-get')) {
    note(`Installing ${packages.join(', ')} (apt-get) …`);
    // Offline, systemd starts no service of a package: the programs are for tests, which run them themselves.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1' };
    const run = (...args) => spawnSync('apt-get', ['-qq', ...args], { encoding: 'utf8', env });
    run('update');
    const result = run('install', '--yes', '--no-install-recommends', ...packages);
    if (result.status !== 0) process.stderr.write(`${result.stdout}${result.stderr}`);
  }
  const still = absent().map(([program]) => program);
  if (still.length === 0) return {};
  return { missing: `${still.join(', ')} not found (Debian, as root: apt-get install ${packages.join(' ')})` };
}

/** Obtains the tools for network namespaces. Returns {}, or { missing } with the reason in one line. */
export function obtainSystemTools() {
  if (process.platform !== 'linux') return { missing: `network namespaces need Linux; this is ${process.platform}` };
  return obtain(NAMESPACE_TOOLS);
}

/** The compiler of .proto files. Returns {}, or { missing } with the reason in one line. */
export function obtainProtoc() {
  return obtain(PROTOC);
}

/** Redis, in which policy servers count together. Returns {}, or { missing } with the reason in one line. */
export function obtainRedis() {
  if (process.platform !== 'linux') return { missing: `its tests need Linux; this is ${process.platform}` };
  return obtain(REDIS);
}

/** Chromium, in which the web pages are tried. Returns {}, or { missing } with the reason in one line. */
export function obtainChromium() {
  if (process.platform !== 'linux') return { missing: `its tests need Linux; this is ${process.platform}` };
  return obtain(CHROMIUM);
}

/** Obtains the programs that commands of the pages name. Returns {}, or { missing } with the reason in one line. */
export function obtainPageTools() {
  return obtain(PAGE_TOOLS);
}

/**
 * Obtains the tools for a whole Kubernetes cluster, beside its programs. Returns {}, or { missing } with the reason in
 * one line.
 */
export function obtainClusterTools() {
  if (process.platform !== 'linux') return { missing: `its pods need Linux; this is ${process.platform}` };
  // Packages of Debian are too old.
  if (!isThere('kubectl')) return { missing: 'kubectl not found (https://kubernetes.io/docs/tasks/tools/)' };
  return obtain(CLUSTER_TOOLS);
}
