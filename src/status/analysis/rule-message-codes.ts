import type { MessageCode } from './message-codes.js';

/** Codes of the policy runtime. */
export const RULE_MESSAGE_CODES = {
  rulesNotEnforced: {
    code: 'MESH0271',
    level: 'Warn',
    title:
      'Policy servers of this version do not run rules, so handlers, instances, rules and their like have no effect.',
    remedy: 'use QuotaSpecs and the file of --policyConfig to limit requests until a version runs rules',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
