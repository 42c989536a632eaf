/** The server cannot start with its settings. The message is one line that names the setting and the remedy. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
