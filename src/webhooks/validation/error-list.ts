/** Several errors as one text, in the form of BEHAVIOUR 3, "Validation" 5; a single one stands for itself. */
export function joinErrors(errors: readonly string[]): string {
  if (errors.length === 1) return errors[0] ?? '';
  return `${errors.length} errors occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}`;
}
