import { isRecord } from '../../base/record.js';
import type { ExpressionLanguage } from '../../expressions/expression-types.js';
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

export interface ServerFacts {
  /** The limits of the quotas that the server charges the request for. Not known where another server counts. */
  readonly limitFor: LimitLookup;
  /** MESH_LANG of the server; undefined if it does not tell. */
  readonly language: ExpressionLanguage | undefined;
}

/**
 * What a server knows about a request, and its objects do not have.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function factsOfServer(
  server: PageServer,
  { method, url, headers, from, ip }: PageQuestion,
): Promise<ServerFacts> {
  const query = { method, url, headers: headers.join('\n'), from, ip, format: 'json' };
  const page = await readJsonPage(server, `/debug/policy?${new URLSearchParams(query).toString()}`);
  const explanation = fieldsOf(fieldsOf(page)['explanation']);
  const { charges } = fieldsOf(fieldsOf(explanation['service'])['quotas']);
  const limits = new Map(
    (Array.isArray(charges) ? charges : [])
      .map(fieldsOf)
      .map(({ quota, limit }) => [String(quota), limit as ExplainedCharge['limit']]),
  );
  const language = LANGUAGES.find((each) => each === explanation['language']);
  return { limitFor: (quota) => limits.get(quota), language };
}

const LANGUAGES: readonly ExpressionLanguage[] = ['legacy', 'compat', 'cel'];

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
