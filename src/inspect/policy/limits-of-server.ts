import { isRecord } from '../../base/record.js';
import { type PageServer, readJsonPage } from '../page-server.js';
import type { ExplainedCharge, LimitLookup } from './explain-quotas.js';

/** A request as the page Policy takes it. */
export interface PageQuestion {
  readonly method: string;
  readonly url: string;
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly from: string;
  readonly ip: string;
}

/**
 * The limits of the quotas that a server charges a request for. Not known where another server counts.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function limitsOfServer(
  server: PageServer,
  { method, url, headers, from, ip }: PageQuestion,
): Promise<LimitLookup> {
  const query = { method, url, headers: headers.join('\n'), from, ip, format: 'json' };
  const page = await readJsonPage(server, `/debug/policy?${new URLSearchParams(query).toString()}`);
  const explanation = fieldsOf(fieldsOf(page)['explanation']);
  const { charges } = fieldsOf(fieldsOf(explanation['service'])['quotas']);
  const limits = new Map(
    (Array.isArray(charges) ? charges : [])
      .map(fieldsOf)
      .map(({ quota, limit }) => [String(quota), limit as ExplainedCharge['limit']]),
  );
  return (quota) => limits.get(quota);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
