import { isCidr, isIpAddress } from '../../base/ip-address.js';
import type { Violation } from '../violation.js';
import type { AuthorizationCondition, AuthorizationPolicySpec, AuthorizationRule } from './authorization-policy.js';
import { MAX_POLICY_BYTES, policyBytes } from './authorization-policy-size.js';
import { KNOWN_CONDITION_KEYS, parseConditionKey } from './condition-key.js';
import { validateWorkloadSelector } from './workload-selector.js';

/** The longest name of a namespace. */
const MAX_NAMESPACE_BYTES = 63;
/** Envoy rejects listeners with larger regular expressions, which a host that begins with "*" becomes. */
const MAX_HOST_END_BYTES = 80;
/** Each slash may be the one between issuer and subject, so each adds the value once more. */
const MAX_SLASHES = 16;

/** Judges one value of a list; undefined for a value without fault. */
type JudgeValue = (value: string) => Pick<Violation, 'message' | 'remedy'> | undefined;

/** Lists whose values have rules of their own. */
const JUDGES: Readonly<Record<string, JudgeValue>> = {
  ipBlocks: judgeAddress,
  notIpBlocks: judgeAddress,
  namespaces: judgeNamespace,
  notNamespaces: judgeNamespace,
  hosts: judgeHost,
  notHosts: judgeHost,
  requestPrincipals: judgeSubject,
  notRequestPrincipals: judgeSubject,
  ports: judgePort,
  notPorts: judgePort,
};

/** The rules of an AuthorizationPolicy that its schema cannot express (docs/reference/validation-rules.md#authorizationpolicy). */
export function validateAuthorizationPolicy(spec: AuthorizationPolicySpec): readonly Violation[] {
  const { selector, rules = [], action } = spec;
  const violations: Violation[] = [...validateWorkloadSelector(selector)];
  if (action !== 'ALLOW' && rules.length === 0) {
    violations.push({
      path: 'rules',
      value: rules,
      message: `is empty, so the ${action} policy would match no request`,
      remedy: `add a rule; an empty rule ({}) matches every request`,
    });
  }
  for (const [index, rule] of rules.entries()) violations.push(...validateRule(rule, `rules[${index}]`));
  const bytes = policyBytes(spec);
  if (bytes > MAX_POLICY_BYTES) {
    violations.push({
      path: 'rules',
      value: `${rules.length} rules`,
      message: `take about ${bytes} bytes in the configuration of a proxy, more than ${MAX_POLICY_BYTES}`,
      remedy: 'use values with "*" and address ranges in place of long lists',
    });
  }
  return violations;
}

function validateRule({ from = [], to = [], when = [] }: AuthorizationRule, path: string): readonly Violation[] {
  return [
    ...from.flatMap(({ source }, index) => validateLists(source, `${path}.from[${index}].source`)),
    ...to.flatMap(({ operation }, index) => validateLists(operation, `${path}.to[${index}].operation`)),
    ...when.flatMap((condition, index) => validateCondition(condition, `${path}.when[${index}]`)),
  ];
}

function validateLists(lists: Readonly<Record<string, readonly string[] | undefined>>, path: string) {
  return Object.entries(lists).flatMap(([name, values = []]) =>
    validateValues(values, `${path}.${name}`, JUDGES[name] ?? judgePattern),
  );
}

function validateCondition(condition: AuthorizationCondition, path: string): readonly Violation[] {
  const { key, values = [], notValues = [] } = condition;
  if (LONE_SURROGATE.test(key)) return [{ path: `${path}.key`, value: key, ...NOT_UNICODE }];
  const parsed = parseConditionKey(key);
  if (parsed === undefined) {
    const remedy = `use one of ${KNOWN_CONDITION_KEYS.join(', ')}`;
    return [{ path: `${path}.key`, value: key, message: 'is not a known key', remedy }];
  }
  if (values.length === 0 && notValues.length === 0) {
    return [{ path, value: condition, message: 'has neither values nor notValues', remedy: 'add one of them' }];
  }
  const judge = judgeOf(parsed.type);
  return [...validateValues(values, `${path}.values`, judge), ...validateValues(notValues, `${path}.notValues`, judge)];
}

function judgeOf(type: NonNullable<ReturnType<typeof parseConditionKey>>['type']): JudgeValue {
  if (type === 'source.ip' || type === 'destination.ip') return judgeAddress;
  if (type === 'source.namespace') return judgeNamespace;
  if (type === 'request.auth.principal') return judgeSubject;
  return type === 'destination.port' ? judgePort : judgePattern;
}

function validateValues(values: readonly string[], path: string, judge: JudgeValue): readonly Violation[] {
  return values.flatMap((value, index) => {
    const fault = LONE_SURROGATE.test(value) ? NOT_UNICODE : judge(value);
    return fault === undefined ? [] : [{ path: `${path}[${index}]`, value, ...fault }];
  });
}

/** Half of a character of UTF-16, which YAML can write. Envoy rejects listeners with texts that are not UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const NOT_UNICODE = { message: 'has half of a surrogate pair', remedy: 'write the whole character' } as const;

function judgeNamespace(value: string) {
  const name = value.replace(/^\*|\*$/g, '');
  if (Buffer.byteLength(name) <= MAX_NAMESPACE_BYTES) return judgePattern(value);
  return {
    message: `is longer than ${MAX_NAMESPACE_BYTES} bytes, so it would match no namespace`,
    remedy: 'write the name of a namespace, or the beginning or end of one',
  };
}

function judgeHost(value: string) {
  if (!value.startsWith('*') || Buffer.byteLength(value) - 1 <= MAX_HOST_END_BYTES) return judgePattern(value);
  return {
    message: `has more than ${MAX_HOST_END_BYTES} bytes after "*"`,
    remedy: 'write a shorter end of the host, or whole hosts',
  };
}

function judgeAddress(value: string) {
  if (isIpAddress(value) || isCidr(value)) return undefined;
  return {
    message: 'is neither an IP address nor a CIDR range',
    remedy: 'write it like 10.1.2.3, 10.1.0.0/16 or fd00::/8',
  };
}

function judgePort(value: string) {
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65535) return undefined;
  return { message: 'is not a port number', remedy: 'use the number that the workload listens on, 1 to 65535' };
}

function judgeSubject(value: string) {
  if (value.split('/').length - 1 > MAX_SLASHES) {
    return { message: `has more than ${MAX_SLASHES} "/"`, remedy: 'write <issuer>/* for all subjects of the issuer' };
  }
  if (value.includes('/') || value.startsWith('*') || value.endsWith('*')) return judgePattern(value);
  return {
    message: 'has no "/" between issuer and subject, so it would match no JWT',
    remedy: 'write it as <issuer>/<subject>, or <issuer>/* for all subjects of the issuer',
  };
}

/** A "*" elsewhere than at one end would be compared as it is, which its author hardly wants. */
function judgePattern(value: string) {
  const inner = value.startsWith('*') ? value.slice(1) : value.replace(/\*$/, '');
  if (!inner.includes('*')) return undefined;
  return {
    message: 'has "*" elsewhere than at its beginning or at its end',
    remedy: 'write several values, each with one "*" at its beginning or at its end',
  };
}
