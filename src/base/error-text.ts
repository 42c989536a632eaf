/** The reason of a caught value, for a person: the message of an error, or the value as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
