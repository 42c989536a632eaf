import type { PageServer } from '../page-server.js';
import { type ProxyRow, readProxyRows } from '../proxies/proxy-rows.js';
import { advisoriesOf } from './advisories.js';
import { type CheckResult, checkOf, orSkipped } from './check-result.js';

/** The Date header has whole seconds. */
const TOLERATED_SKEW_MS = 5_000;
/** Tokens and certificates are checked against the clock. */
const BAD_SKEW_MS = 60_000;
const EXPIRY_WARNING_DAYS = 30;
const DAY_MS = 86_400_000;

/** Checks each server: readiness, clock, certificates, quota storage, rejected configuration, versions of Envoys. */
export async function checkServers(servers: readonly PageServer[], now: () => Date): Promise<readonly CheckResult[]> {
  const results = await Promise.all(servers.map((server) => checkServer(server, now)));
  return [...results.flat(), ...(await checkSameVersion(servers))];
}

async function checkServer(server: PageServer, now: () => Date): Promise<readonly CheckResult[]> {
  const checks = [
    orSkipped('ready', server.name, () => checkReady(server, now)),
    orSkipped('metrics', server.name, () => checkMetrics(server, now)),
    orSkipped('proxies', server.name, () => checkProxies(server)),
  ];
  return (await Promise.all(checks)).flat();
}

async function checkReady(server: PageServer, now: () => Date): Promise<readonly CheckResult[]> {
  const beforeMs = now().getTime();
  const { status, date } = await server.send({ method: 'GET', path: '/ready' });
  const afterMs = now().getTime();
  const subject = server.name;
  const { ok, error } = checkOf('ready', subject);
  const ready =
    status === 200 ? ok('the server is ready') : error(`/ready answered ${status}`, '/debug says what is missing');
  if (date === undefined) return [ready];
  // The server answered between these two times.
  const skew = Math.max(0, beforeMs - date.getTime(), date.getTime() - afterMs);
  const seconds = Math.round(skew / 1000);
  const clock = checkOf('clock', subject);
  if (skew <= TOLERATED_SKEW_MS) return [ready, clock.ok('the clock agrees with this machine')];
  const level = skew > BAD_SKEW_MS ? 'error' : 'warning';
  const message = `the clock differs from this machine by ${seconds} s; tokens and new certificates can be invalid`;
  return [ready, clock[level](message, 'synchronize the clocks of the nodes and of this machine (NTP)')];
}

async function checkMetrics(server: PageServer, now: () => Date): Promise<readonly CheckResult[]> {
  const { body } = await server.send({ method: 'GET', path: '/metrics' });
  return [...checkExpiry(server.name, body, now()), ...checkStorage(server.name, body)];
}

function checkExpiry(subject: string, metrics: string, now: Date): readonly CheckResult[] {
  const names = {
    ca_server_root_cert_expiry_timestamp: 'root certificate',
    ca_server_cert_chain_expiry_timestamp: 'certificate chain of the CA',
  };
  return Object.entries(names).flatMap(([family, name]): readonly CheckResult[] => {
    const seconds = gaugeOf(metrics, family);
    if (seconds === undefined || seconds === 0) return [];
    const days = Math.floor((seconds * 1000 - now.getTime()) / DAY_MS);
    const { ok, warning, error } = checkOf('certificates', subject);
    const remedy = 'see docs/certificates.md for the rotation of the CA';
    if (days < 0) return [error(`the ${name} has expired`, remedy)];
    const message = `the ${name} is valid for ${days} days`;
    return [days < EXPIRY_WARNING_DAYS ? warning(message, remedy) : ok(message)];
  });
}

function checkStorage(subject: string, metrics: string): readonly CheckResult[] {
  const replicas = gaugeOf(metrics, 'policy_server_unshared_replicas') ?? 0;
  const { ok, warning } = checkOf('quota storage', subject);
  if (replicas <= 1) return [ok('no other replica counts the same quotas separately')];
  const message = `${replicas} replicas count quotas in memory, each for itself: together they admit ${replicas} times each limit`;
  return [warning(message, 'configure storage of type redis in the file of --policyConfig')];
}

async function checkProxies(server: PageServer): Promise<readonly CheckResult[]> {
  const rows = await readProxyRows([server]);
  const subject = server.name;
  const rejected = rows.filter(({ state }) => state === 'REJECTED').map(({ workload }) => workload);
  const { ok, error } = checkOf('proxies', subject);
  const rejections =
    rejected.length === 0
      ? ok(rows.length === 0 ? 'no proxy is connected' : `none of ${rows.length} proxies rejects its configuration`)
      : error(`${named(rejected)} rejected configuration`, `proxy-status ${rejected[0]} says why`);
  return [rejections, ...checkVersions(subject, rows)];
}

function checkVersions(subject: string, rows: readonly ProxyRow[]): readonly CheckResult[] {
  const versions = new Map<string, string[]>();
  for (const { version, workload } of rows) {
    if (version !== undefined) versions.set(version, [...(versions.get(version) ?? []), workload]);
  }
  return [...versions].map(([version, workloads]): CheckResult => {
    const { ok, warning } = checkOf('Envoy versions', subject);
    const [advisory] = advisoriesOf(version) ?? [];
    const who = `${named(workloads)} with Envoy ${version}`;
    if (advisory === undefined) return ok(`no known advisory affects ${who}`);
    return warning(`${who}: ${advisory.names.join(', ')}`, `upgrade to Envoy ${advisory.fixedIn} or later`);
  });
}

/** Replicas of two versions are normal only during an upgrade. */
async function checkSameVersion(servers: readonly PageServer[]): Promise<readonly CheckResult[]> {
  if (servers.length < 2) return [];
  return await orSkipped('versions', 'all replicas', async () => {
    const texts = await Promise.all(
      servers.map(async (server) => (await server.send({ method: 'GET', path: '/version' })).body.trim()),
    );
    const versions = [...new Set(texts)];
    const message = versions.join(', ');
    const { ok, warning } = checkOf('versions', 'all replicas');
    return [versions.length === 1 ? ok(message) : warning(message, 'finish the rollout of the control plane')];
  });
}

function gaugeOf(metrics: string, family: string): number | undefined {
  const text = new RegExp(`^${family} (\\S+)$`, 'm').exec(metrics)?.[1];
  return text === undefined ? undefined : Number(text);
}

const SHOWN = 3;

function named(workloads: readonly string[]): string {
  const more = workloads.length - SHOWN;
  return workloads.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
