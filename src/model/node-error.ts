export type NodeErrorCode =
  | 'MISSING_NODE_ID'
  | 'INVALID_NODE_ID'
  | 'MISSING_PARTS'
  | 'INVALID_NODE_TYPE'
  | 'NO_VALID_IP'
  | 'INVALID_METADATA';

/** The reason why the node of a proxy is rejected; its log shows the message (docs/reference/xds.md#node). */
export class NodeError extends Error {
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NodeError';
    this.code = code;
  }
}

const MAX_SHOWN_LENGTH = 200;

/** Quotes text from a proxy for a message: control characters escaped, length limited. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text);
}
