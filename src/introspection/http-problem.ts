/** The text for an error of the program itself. */
export const FAILED_PAGE = 'The server failed to render this page. Its log has the error.';

/** An error that the caller sees: the status of the response, and its text. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  /** 400 to 599. */
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
