/** A request that is answered with an error page: its status and the text that the caller reads. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  /** 400 to 599. */
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
