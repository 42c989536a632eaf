/**
 * Limits of the kinds of the policy runtime. They limit what validating one object costs, also in the API server. More
 * attributes, actions or quotas fit into several objects.
 */
export const RULE_LIMITS = {
  /** Attributes of an attributemanifest. */
  attributes: 1000,
  /** Actions of a rule. */
  actions: 64,
  /** Instances of an action. */
  instances: 64,
  /** Header operations of a rule, for each direction. */
  headerOperations: 64,
  /** Values of a header operation. */
  headerValues: 16,
  /** Templates of an adapter. */
  templates: 64,
  /** Dimensions of an override. */
  quotaDimensions: 100,
  /** Labels of a metric. */
  labels: 64,
  /** Entries of a list in a handler. */
  listEntries: 10_000,
  /** Expressions of an instance. */
  instanceExpressions: 256,
  /** Characters of all expressions of an instance. */
  instanceLength: 65_536,
  /** Nesting of the fields of an instance. */
  instanceDepth: 16,
  /** Entries of other lists and maps. */
  entries: 1000,
  /** Characters of an expression. */
  expressionLength: 4096,
  /** Characters of a name or reference. */
  nameLength: 253,
  /** Characters of another text. */
  textLength: 4096,
  /** Characters of a file descriptor set in base64. */
  descriptorLength: 1024 * 1024,
} as const;
