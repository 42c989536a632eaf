/** A request for a page of a server. */
export interface PageRequest {
  readonly method: string;
  /** With its query: `/debug/syncz`. */
  readonly path: string;
  /** Default: none. */
  readonly body?: string;
}

export interface PageAnswer {
  readonly status: number;
  readonly body: string;
  /** Clock of the server when it answered; undefined if it did not tell. Resolution: one second. */
  readonly date: Date | undefined;
}

/** One running discovery server, whose pages can be asked for. */
export interface PageServer {
  /** `host:port`, or the name of the pod. */
  readonly name: string;
  /** @throws UnreachableError if the server cannot be reached */
  send(request: PageRequest): Promise<PageAnswer>;
}

/** The servers that a command asks: one by its address, or all replicas in a cluster. */
export interface PageServers {
  /** At least one, sorted by name. */
  readonly servers: readonly PageServer[];
  close(): void;
}

/** A server answered with a status above 399. */
class PageRefusedError extends Error {
  override readonly name = 'PageRefusedError';
  readonly code = 'PAGE_REFUSED';
  readonly status: number;

  constructor(server: string, path: string, { status, body }: PageAnswer) {
    super(`${path} of ${server} answered ${status}: ${body.trim()}`);
    this.status = status;
  }
}

/**
 * Reads a page that is JSON.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function readJsonPage(server: PageServer, path: string): Promise<unknown> {
  const answer = await server.send({ method: 'GET', path });
  if (answer.status > 399) throw new PageRefusedError(server.name, path, answer);
  return JSON.parse(answer.body);
}
