/**
 * Bounds of the policy kinds. They keep an object's validation and matching cheap whoever writes it, and let the
 * API server bound its own cost. More rules than these go into several objects, all bound to the same service.
 */
export const LIMITS = {
  /** Rules of a QuotaSpec, patterns of an HTTPAPISpec. */
  rules: 1000,
  /** Matches or quotas of one rule; API keys of a spec. */
  perRule: 100,
  /** Clauses of a match. */
  clauses: 100,
  /** Services or references of a binding. */
  bindingItems: 1000,
  /** Attributes of one set. */
  attributes: 256,
  /** Characters of a name. */
  nameLength: 253,
  /** Characters of an attribute's or match's text. */
  textLength: 4096,
  /** Violations of one object that are told. */
  violations: 20,
} as const;
