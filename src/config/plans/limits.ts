/** Limits of the kinds Plan and Consumer. They limit the cost of validating and matching one object. */
export const PLAN_LIMITS = {
  /** Limits of a plan: all that match are charged for each request. */
  limits: 16,
  /** Services of a plan. */
  services: 1000,
  /** Matches of a plan or limit. */
  matches: 100,
  /** Keys of a consumer. */
  keys: 100,
  /** Response codes of refunds. */
  codes: 32,
  /** The largest integer of a structured field (RFC 9651). */
  requests: 999_999_999_999_999,
} as const;
