export type NodeErrorCode =
  | 'MISSING_NODE_ID'
  | 'INVALID_NODE_ID'
  | 'MISSING_PARTS'
  | 'INVALID_NODE_TYPE'
  | 'NO_VALID_IP'
  | 'INVALID_METADATA';

/** Why a proxy's node cannot be served; the message is what its log shows (docs/reference/xds.md#node). */
export class NodeError extends Error {
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NodeError';
    this.code = code;
  }
}

const MAX_SHOWN_LENGTH = 200;

/** Text from a proxy as a message may show it: quoted, control characters escaped, and not endless. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text);
}
