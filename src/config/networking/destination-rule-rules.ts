import { isDnsLabel, isFqdn, isHost } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';
import { validateClientTls } from './client-tls-settings.js';
import {
  DESTINATION_RULE_LIMITS,
  type DestinationRuleSpec,
  type PortPolicySpec,
  type SubsetSpec,
  type TrafficPolicySpec,
} from './destination-rule.js';
import { validateConnectionPool, validateOutlierDetection } from './destination-rule-connections.js';
import { validateLoadBalancer } from './destination-rule-load-balancer.js';
import { validateExportTo } from './export-to.js';

/** Rules of a DestinationRule that its schema cannot express (docs/reference/validation-rules.md#destinationrule). */
export function validateDestinationRule(rule: DestinationRuleSpec): readonly Violation[] {
  const { trafficPolicy, subsets = [] } = rule;
  return [
    ...validateHost(rule),
    ...(trafficPolicy === undefined ? [] : validatePolicy(trafficPolicy, 'trafficPolicy')),
    ...subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
    ...repeatedValues(subsets.map(({ name }) => name)).map(({ index, first }) => ({
      path: `subsets[${index}].name`,
      value: subsets[index]?.name,
      message: `is the name of subsets[${first}] too`,
      remedy: 'give each subset its own name',
    })),
    ...validateExportTo(rule.exportTo),
  ];
}

function validateHost({ host, subsets = [] }: DestinationRuleSpec): readonly Violation[] {
  if (host !== '*' && !isHost(host)) {
    const remedy = 'use a name of a Service, a DNS name, *.example.com, or * for every host';
    return [{ path: 'host', value: host, message: 'is not a host', remedy }];
  }
  const limit = DESTINATION_RULE_LIMITS.subsetsOfWildcard;
  if (isFqdn(host) || subsets.length <= limit) return [];
  return [
    {
      path: 'subsets',
      value: subsets,
      message: `are more than ${limit}, the most for a host with "*", because each service that it matches gets all of them`,
      remedy: 'write a rule for each host that needs more',
    },
  ];
}

function validateSubset({ name, labels, trafficPolicy }: SubsetSpec, path: string): readonly Violation[] {
  const violations: Violation[] = [];
  if (!isDnsLabel(name)) {
    const remedy = 'use at most 63 letters, digits and hyphens';
    violations.push({ path: `${path}.name`, value: name, message: 'is not a valid name of a subset', remedy });
  }
  violations.push(...validateLabels(labels, `${path}.labels`));
  if (trafficPolicy !== undefined) violations.push(...validatePolicy(trafficPolicy, `${path}.trafficPolicy`));
  return violations;
}

function validatePolicy(policy: TrafficPolicySpec, path: string): readonly Violation[] {
  const { portLevelSettings = [] } = policy;
  return [
    ...validateParts(policy, path),
    ...portLevelSettings.flatMap((settings, index) => validatePort(settings, `${path}.portLevelSettings[${index}]`)),
    ...repeatedValues(portLevelSettings.map(({ port }) => port.number)).map(({ index, first }) => ({
      path: `${path}.portLevelSettings[${index}].port.number`,
      value: portLevelSettings[index]?.port.number,
      message: `is the port of portLevelSettings[${first}] too`,
      remedy: 'list each port once',
    })),
  ];
}

type PolicyParts = Omit<PortPolicySpec, 'port'>;

function validatePort({ port, ...parts }: PortPolicySpec, path: string): readonly Violation[] {
  if (Object.values(parts).some((part) => part !== undefined)) return validateParts(parts, path);
  const remedy = 'set loadBalancer, connectionPool, outlierDetection or tls, or remove the item';
  return [{ path, value: port.number, message: 'sets nothing for its port', remedy }];
}

function validateParts(parts: PolicyParts, path: string): readonly Violation[] {
  const { loadBalancer, connectionPool, outlierDetection, tls } = parts;
  return [
    ...(loadBalancer === undefined ? [] : validateLoadBalancer(loadBalancer, `${path}.loadBalancer`)),
    ...(connectionPool === undefined ? [] : validateConnectionPool(connectionPool, `${path}.connectionPool`)),
    ...(outlierDetection === undefined ? [] : validateOutlierDetection(outlierDetection, `${path}.outlierDetection`)),
    ...(tls === undefined ? [] : validateClientTls(tls, `${path}.tls`)),
  ];
}
