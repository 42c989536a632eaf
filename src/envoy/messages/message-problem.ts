/** A mistake in a message. */
export interface MessageProblem {
  /** The field, as in the text: `httpFilters[0].name`; empty for the message itself. */
  readonly path: string;
  /** Absent if the field is missing. */
  readonly value?: unknown;
  /** The mistake, without a subject: `is not a number`. */
  readonly message: string;
  /** The correction, as an instruction. */
  readonly remedy: string;
}

/** A message as protobufjs encodes it: fields by their name in camel case, enums as numbers, bytes as Buffers. */
export type MessageFields = Record<string, unknown>;

export function fieldPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' ? step : `${path}.${step}`;
}
