import type { Clock } from '../../base/clock.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { scheduleAt } from '../schedule-at.js';
import { readCertificateFields } from '../x509/read-certificate.js';
import type { LocalAuthority } from './local-authority.js';

export interface ExpiryRecorderOptions {
  readonly authority: LocalAuthority;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Keeps two metrics current (docs/reference/metrics.md#certificate-authority): `ca_server_root_cert_expiry_timestamp`,
 * the expiry of the signing root, and `ca_server_cert_chain_expiry_timestamp`, the expiry of the first intermediate.
 * Values are Unix seconds and become negative at that time. If the root itself signs, the second metric does not
 * appear.
 *
 * @returns a function that ends this
 */
export function recordExpiry({ authority, metrics, clock }: ExpiryRecorderOptions): () => void {
  let cancelTimers: readonly (() => void)[] = [];
  let hasHadChain = false;

  const signed = (time: Date): number => {
    const seconds = Math.floor(time.getTime() / 1000);
    return time > clock.now() ? seconds : -seconds;
  };

  const record = (): void => {
    for (const cancel of cancelTimers) cancel();
    const material = authority.material();
    if (material === undefined) return;
    const [root = material.certificate] = material.roots;
    const rootEnd = readCertificateFields(root).notAfter;
    metrics.set('ca_server_root_cert_expiry_timestamp', signed(rootEnd));
    const ends = material.intermediates.map((each) => readCertificateFields(each).notAfter.getTime());
    const chainEnd = new Date(Math.min(...ends));
    if (ends.length > 0) metrics.set('ca_server_cert_chain_expiry_timestamp', signed(chainEnd));
    else if (hasHadChain) metrics.remove('ca_server_cert_chain_expiry_timestamp', {});
    hasHadChain = ends.length > 0;
    cancelTimers = [rootEnd, ...(hasHadChain ? [chainEnd] : [])]
      .filter((end) => end > clock.now())
      .map((end) => scheduleAt(clock, end, record));
  };

  record();
  const end = authority.onChange(record);
  return () => {
    end();
    for (const cancel of cancelTimers) cancel();
  };
}
