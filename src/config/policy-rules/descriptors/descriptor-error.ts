/** A descriptor that cannot be used. The message has no subject: `has no message Params`. */
export class DescriptorError extends Error {
  /** The correction, as an instruction. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'DescriptorError';
    this.remedy = remedy;
  }
}
