import { isRecord } from '../../base/record.js';

const MAX_CAUSES = 16;

/** The API server rejected a request, or ended a watch with an error: a Status object. */
export class ApiError extends Error {
  /** HTTP status, or the code of the Status object. */
  readonly status: number;
  /** For example `Forbidden` or `Expired`; empty when the answer did not come from an API server. */
  readonly reason: string;
  /** Causes of the Status object, for example `ResourceVersionTooLarge`. */
  readonly causes: readonly string[];
  /** The wait that Retry-After or the Status object asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: unknown, retryAfter?: string) {
    const text = isRecord(body) ? answerText(body['message']) : '';
    super(text === '' ? `the API server answered ${status}` : text);
    this.name = 'ApiError';
    this.status = status;
    const details = isRecord(body) && isRecord(body['details']) ? body['details'] : {};
    this.reason = isRecord(body) ? answerText(body['reason']) : '';
    const causes = Array.isArray(details['causes']) ? details['causes'].slice(0, MAX_CAUSES) : [];
    this.causes = causes.map((cause: unknown) => (isRecord(cause) ? answerText(cause['reason']) : ''));
    const seconds = Number(retryAfter ?? details['retryAfterSeconds']);
    this.retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
  }

  /** Whether the requested resource version is too old, or of a cluster that was restored since: list again. */
  get isExpired(): boolean {
    return this.status === 410 || this.causes.includes('ResourceVersionTooLarge');
  }
}

/** Length limit of texts for logs: a remote API server can answer with any text. */
const MAX_LENGTH = 1024;

/** The start of a text in an API server's answer; empty when the value is not a text. */
export function answerText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.length <= MAX_LENGTH ? value : `${value.slice(0, MAX_LENGTH)}…`;
}
