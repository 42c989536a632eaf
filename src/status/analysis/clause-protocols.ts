import { ATTRIBUTE_VOCABULARY, type VocabularyEntry } from '../../config/attributes/attribute-vocabulary.js';
import type { AttributeMatchSpec, QuotaRuleSpec } from '../../config/policy/quota-spec.js';
import { parseDimension } from '../../config/policy-server/dimension.js';

type Clause = AttributeMatchSpec['clause'];

/** The protocols whose requests or connections can meet a clause. */
type ClauseProtocol = VocabularyEntry['protocols'] | 'neither';

const PROTOCOLS: ReadonlyMap<string, VocabularyEntry['protocols']> = new Map(
  ATTRIBUTE_VOCABULARY.map(({ name, protocols }) => [name, protocols]),
);

/** The attribute of a condition, and the only protocol that has it. Only HTTP has attributes of HTTPAPISpecs. */
export interface ConditionProtocol {
  readonly written: string;
  readonly protocol: 'http' | 'tcp';
}

/** The conditions of a clause that only one protocol can meet. */
export function protocolsOfConditions(clause: Clause): readonly ConditionProtocol[] {
  return Object.entries(clause).flatMap(([written, { exact }]) => {
    const attribute = parseDimension(written)?.attribute ?? written;
    if (attribute === 'context.protocol') {
      return exact === undefined ? [] : { written, protocol: exact === 'tcp' ? ('tcp' as const) : ('http' as const) };
    }
    const protocol = PROTOCOLS.get(attribute);
    return protocol === undefined || protocol === 'http and tcp' ? [] : { written, protocol };
  });
}

function protocolOfClause(clause: Clause): ClauseProtocol {
  const found = new Set(protocolsOfConditions(clause).map(({ protocol }) => protocol));
  if (found.size === 2) return 'neither';
  const [only] = found;
  return only ?? 'http and tcp';
}

/** Whether TCP connections or HTTP requests can match a rule. */
export function canHoldFor({ match }: QuotaRuleSpec, protocol: 'http' | 'tcp'): boolean {
  return (
    match.length === 0 ||
    match.some(({ clause }) => {
      const of = protocolOfClause(clause);
      return of === protocol || of === 'http and tcp';
    })
  );
}
