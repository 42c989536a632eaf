import {
  parseAddressRanges,
  parseAddressSelection,
  parsePortSelection,
  parsePorts,
  TrafficSyntaxError,
} from '../../../config/injection/captured-traffic.js';
import { readPolicyOverrides } from '../../../model/policy/read-policy-overrides.js';
import type { InjectionNames } from '../annotation-names.js';
import { InjectionError } from '../injection-error.js';

/** @returns the problem with a value and the remedy; undefined for a valid value */
type Check = (value: string) => string | undefined;

const MAX_SHOWN = 256;
const UINT32_MAX = 2 ** 32 - 1;
const BOOLEANS: ReadonlySet<string> = new Set(
  ['1', 't', 'T', 'TRUE', 'true', 'True'].concat(['0', 'f', 'F', 'FALSE', 'false', 'False']),
);
const INTERCEPTION_MODES = ['REDIRECT', 'TPROXY', 'NONE'];
const XDS_PROTOCOLS = ['sotw', 'delta'];
/** The template compares the value with these texts. */
const ON_DEMAND = ['true', 'false'];

/**
 * Returns a function that throws an InjectionError for an annotation of a pod that cannot be used. It also checks the
 * annotations that the proxy sends as node metadata: the control plane would reject such a proxy
 * (docs/reference/webhooks.md#validated-annotations).
 */
export function createAnnotationValidator(
  names: InjectionNames,
  meshDomain: string,
): (annotations: Readonly<Record<string, string>>) => void {
  const checks: readonly (readonly [string, Check])[] = [
    [names.interceptionMode, isOneOf(INTERCEPTION_MODES)],
    [names.xdsProtocol, isOneOf(XDS_PROTOCOLS)],
    [names.onDemand, isOneOf(ON_DEMAND)],
    [names.enableCoreDump, isBoolean],
    [names.statusPort, isIntegerUpTo(65535)],
    [names.readinessInitialDelaySeconds, isIntegerUpTo(UINT32_MAX)],
    [names.readinessPeriodSeconds, isIntegerUpTo(UINT32_MAX)],
    [names.readinessFailureThreshold, isIntegerUpTo(UINT32_MAX)],
    [names.includeOutboundIpRanges, parses(parseAddressSelection)],
    [names.excludeOutboundIpRanges, parses(parseAddressRanges)],
    [names.includeInboundPorts, parses(parsePortSelection)],
    [names.excludeInboundPorts, parses(parsePorts)],
    [names.excludeOutboundPorts, parses(parsePorts)],
    [names.mergeMetrics, isBoolean],
  ];
  return (annotations) => {
    for (const [name, check] of checks) {
      const value = Object.hasOwn(annotations, name) ? annotations[name] : undefined;
      const problem = value === undefined ? undefined : check(value);
      if (value !== undefined && problem !== undefined) throw invalidAnnotation(name, value, problem);
    }
    const onDemand = Object.hasOwn(annotations, names.onDemand) ? annotations[names.onDemand] : undefined;
    if (onDemand === 'true' && annotations[names.xdsProtocol] === 'sotw') {
      const problem = `clusters on demand need delta xDS: use delta for annotation '${names.xdsProtocol}', or remove it`;
      throw invalidAnnotation(names.onDemand, onDemand, problem);
    }
    readPolicyOverrides(
      {
        text: (name) => (Object.hasOwn(annotations, name) ? annotations[name] || undefined : undefined),
        wrong: (name, value, wanted) => invalidAnnotation(name, value, `use ${wanted}`),
      },
      meshDomain,
    );
  };
}

/** The error `invalid value 'v' for annotation 'n': …`. */
export function invalidAnnotation(name: string, value: string, problem: string): InjectionError {
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
  return new InjectionError('INVALID_ANNOTATION', `invalid value '${shown}' for annotation '${name}': ${problem}`);
}

/** @param value a valid boolean annotation */
export function isTrue(value: string): boolean {
  return /^(1|t)/i.test(value);
}

function isOneOf(values: readonly string[]): Check {
  return (value) => (values.includes(value) ? undefined : `use one of ${values.join(', ')}`);
}

function isBoolean(value: string): string | undefined {
  return BOOLEANS.has(value) ? undefined : 'use true or false';
}

function isIntegerUpTo(max: number): Check {
  return (value) =>
    /^\d{1,10}$/.test(value) && Number(value) <= max ? undefined : `use a whole number from 0 to ${max}`;
}

function parses(parse: (text: string) => unknown): Check {
  return (value) => {
    try {
      parse(value);
      return undefined;
    } catch (error) {
      if (error instanceof TrafficSyntaxError) return error.message;
      throw error;
    }
  };
}
