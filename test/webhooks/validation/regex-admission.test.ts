import test from 'ava';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import { createRegexAdmission } from '../../../src/webhooks/validation/regex-admission.js';
import { messagesOf, policyContext, policyObject } from '../../status/analysis/support.js';

const MIB = 1024 * 1024;
const LIMITS = { ...DEFAULT_REGEX_LIMITS, serviceBytes: 2 * MIB, namespaceBytes: 3 * MIB };
const WEB =
  'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}';

/** A QuotaSpec with expressions of about 300 KiB each. */
function spec(namespace: string, name: string, count: number): string {
  const rules = Array.from(
    { length: count },
    (_, index) => `{match: [{clause: {a: {regex: "x{999}${name}${index}"}}}], quotas: [{quota: q}]}`,
  );
  return `QuotaSpec ${namespace}/${name} {rules: [${rules.join(', ')}]}`;
}

function binding(namespace: string, name: string, specs: readonly string[]): string {
  const references = specs.map((each) => `{name: ${each}}`).join(', ');
  return `QuotaSpecBinding ${namespace}/${name} {services: [{service: web.shop.svc.cluster.local}], quotaSpecs: [${references}]}`;
}

function admissionTo(lines: readonly string[]) {
  const admission = createRegexAdmission(() => LIMITS);
  admission.observe(policyContext(lines.join('\n')));
  return (line: string) => admission.refusalOf(policyObject(line));
}

test('a spec that brings its namespace over the limit is rejected, and its old version does not count', (t) => {
  const refusalOf = admissionTo([WEB, spec('shop', 'a', 6), spec('other', 'b', 6)]);
  t.regex(
    refusalOf(spec('shop', 'c', 6)) ?? '',
    /^configuration is invalid: QuotaSpec shop\/c: spec: brings the regular expressions of namespace shop to 3\d{3} KiB when compiled, more than the limit of 3072 KiB; use exact .* NAV_REGEX_NAMESPACE_BYTES$/,
  );
  t.is(refusalOf(spec('shop', 'c', 2)), undefined);
  t.is(refusalOf(spec('shop', 'a', 9)), undefined);
});

test('a spec or binding that brings a service over the limit is rejected', (t) => {
  const present = [WEB, spec('shop', 'a', 4), spec('shop', 'b', 4), binding('shop', 'ab', ['a'])];
  const refusalOf = admissionTo(present);
  const refusal =
    /^configuration is invalid: QuotaSpec\w* shop\/\w+: spec: brings the regular expressions of all specs of web.shop.svc.cluster.local to 2\d{3} KiB when compiled, more than the limit of 2048 KiB; bind fewer .* NAV_REGEX_SERVICE_BYTES$/;
  t.regex(refusalOf(binding('shop', 'more', ['b'])) ?? '', refusal);
  t.is(refusalOf(binding('shop', 'more', ['a'])), undefined);
  t.regex(
    admissionTo([...present.slice(0, 2), binding('shop', 'ab', ['a', 'c'])])(spec('shop', 'c', 4)) ?? '',
    refusal,
  );
});

test('a service over the limit accepts changes that reduce its size', (t) => {
  const refusalOf = admissionTo([WEB, spec('shop', 'a', 8), binding('shop', 'ab', ['a'])]);
  t.is(refusalOf(spec('shop', 'a', 7)), undefined);
});

test('analysis names the spec that exceeds the limit of its service', (t) => {
  // 20 expressions are 6 MiB: two specs are below the 16 MiB of a service, three are not.
  const specs = ['a', 'b', 'c'].map((name) => spec('shop', name, 20));
  const messages = messagesOf([WEB, ...specs, binding('shop', 'abc', ['a', 'b', 'c'])].join('\n'), 'oversized-regexes');
  t.is(messages.length, 1);
  t.regex(messages[0] ?? '', /^MESH0221 QuotaSpec\/shop\/c: the regular expressions of all specs of web\.shop/);
});
