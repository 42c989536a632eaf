/** An input or a settings file cannot be read, so nothing was analyzed. The message names the file and the remedy. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code = 'INPUT_UNREADABLE';
}
