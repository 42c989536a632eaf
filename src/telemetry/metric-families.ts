import { accessFamilies, httpFamilies } from './families/access-families.js';
import { analysisFamilies } from './families/analysis-families.js';
import { certificateFamilies } from './families/certificate-families.js';
import { dnsFamilies } from './families/dns-families.js';
import type { Family } from './families/family.js';
import { mcpFamilies } from './families/mcp-families.js';
import { outgoingFamilies } from './families/outgoing-families.js';
import { policyAdapterFamilies } from './families/policy-adapter-families.js';
import { policyRuntimeFamilies } from './families/policy-runtime-families.js';
import {
  policyDiscoveryFamilies,
  policyQuotaFamilies,
  policyServerFamilies,
} from './families/policy-server-families.js';
import { processFamilies } from './families/process-families.js';
import { pushFamilies } from './families/push-families.js';
import { registryFamilies } from './families/registry-families.js';
import { webhookFamilies } from './families/webhook-families.js';

/** Every family that the process exports by name (docs/reference/metrics.md); Node's own come from prom-client. */
export const metricFamilies = {
  ...accessFamilies,
  ...analysisFamilies,
  ...certificateFamilies,
  ...dnsFamilies,
  ...mcpFamilies,
  ...outgoingFamilies,
  ...policyAdapterFamilies,
  ...policyDiscoveryFamilies,
  ...policyRuntimeFamilies,
  ...policyQuotaFamilies,
  ...policyServerFamilies,
  ...processFamilies,
  ...pushFamilies,
  ...registryFamilies,
  ...httpFamilies,
  ...webhookFamilies,
} as const satisfies Readonly<Record<string, Family>>;

type Families = typeof metricFamilies;

/** The families that `navigator-policy` records. */
export const NAVIGATOR_POLICY_FAMILIES: readonly FamilyName[] = [
  accessFamilies,
  httpFamilies,
  outgoingFamilies,
  policyAdapterFamilies,
  policyDiscoveryFamilies,
  policyQuotaFamilies,
  policyRuntimeFamilies,
  policyServerFamilies,
  processFamilies,
].flatMap((families) => Object.keys(families) as FamilyName[]);

/**
 * The families that `navigator-discovery` records: all but those of its client, which would look as if the server had
 * lost its connection.
 */
export const NAVIGATOR_DISCOVERY_FAMILIES: readonly FamilyName[] = (
  Object.keys(metricFamilies) as readonly FamilyName[]
).filter((name) => !Object.hasOwn(policyDiscoveryFamilies, name));

/** Names of the families of one type. */
export type FamilyName<Type extends Family['type'] = Family['type']> = {
  [Name in keyof Families]: Families[Name]['type'] extends Type ? Name : never;
}[keyof Families];

/** One value for each label of a family. */
export type LabelsOf<Name extends FamilyName> = Readonly<Record<Families[Name]['labels'][number], string>>;

/** Whether a metric of this process has the name, or one of prom-client can have it. */
export function isFamilyName(name: string): boolean {
  if (/^(?:process|nodejs)_/.test(name)) return true;
  return [name, name.replace(/_(?:bucket|sum|count)$/, '')].some((each) => Object.hasOwn(metricFamilies, each));
}
