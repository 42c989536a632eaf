import { accessFamilies, httpFamilies } from './families/access-families.js';
import { certificateFamilies } from './families/certificate-families.js';
import type { Family } from './families/family.js';
import {
  policyDiscoveryFamilies,
  policyQuotaFamilies,
  policyServerFamilies,
} from './families/policy-server-families.js';
import { processFamilies } from './families/process-families.js';
import { pushFamilies } from './families/push-families.js';
import { registryFamilies } from './families/registry-families.js';
import { analysisFamilies, mcpFamilies, policyFamilies } from './families/unrecorded-families.js';
import { webhookFamilies } from './families/webhook-families.js';

/** Every family that the process exports by name (docs/reference/metrics.md); Node's own come from prom-client. */
export const metricFamilies = {
  ...accessFamilies,
  ...analysisFamilies,
  ...certificateFamilies,
  ...mcpFamilies,
  ...policyDiscoveryFamilies,
  ...policyFamilies,
  ...policyQuotaFamilies,
  ...policyServerFamilies,
  ...processFamilies,
  ...pushFamilies,
  ...registryFamilies,
  ...httpFamilies,
  ...webhookFamilies,
} as const satisfies Readonly<Record<string, Family>>;

type Families = typeof metricFamilies;

/** Names of the families of one type. */
export type FamilyName<Type extends Family['type'] = Family['type']> = {
  [Name in keyof Families]: Families[Name]['type'] extends Type ? Name : never;
}[keyof Families];

/** One value for each label of a family. */
export type LabelsOf<Name extends FamilyName> = Readonly<Record<Families[Name]['labels'][number], string>>;
