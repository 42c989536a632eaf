import type { CelExpression } from '../../../envoy/cel-expression.js';
import type { PrincipalCondition } from '../../../model/policy/fast/fast-conditions.js';

const SCHEME = text('spiffe://');

/**
 * Compares the verified identity of the client, as `source.principal` is compared in a check: without its scheme. Of a
 * certificate, Envoy sends in a check the first URI, or else the first DNS name, or else the subject.
 */
export function principalTest({ match, text: wanted }: PrincipalCondition): CelExpression {
  const compare = (value: CelExpression, other: CelExpression): CelExpression =>
    match === 'exact' ? { type: 'equals', left: value, right: other } : { type: 'startsWith', value, prefix: other };
  const principal = firstOf('uri_san_peer_certificate', firstOf('dns_san_peer_certificate', SUBJECT));
  return {
    type: 'choice',
    when: { type: 'startsWith', value: principal, prefix: SCHEME },
    yes: compare(principal, text(`${SCHEME.text}${wanted}`)),
    no: compare(principal, text(wanted)),
  };
}

const SUBJECT: CelExpression = { type: 'attribute', object: 'connection', name: 'subject_peer_certificate' };

function firstOf(name: string, otherwise: CelExpression): CelExpression {
  const object = 'connection';
  return {
    type: 'choice',
    when: { type: 'has', object, name },
    yes: { type: 'attribute', object, name },
    no: otherwise,
  };
}

function text(value: string): Extract<CelExpression, { readonly type: 'text' }> {
  return { type: 'text', text: value };
}
