import type { ServerResponse } from 'node:http';
import type { Html } from './html.js';
import type { JsonSource } from './json-source.js';
import type { Views } from './views.js';

/** The part of a request that pages read. */
export interface PageRequest {
  readonly query: URLSearchParams;
  /** True for HEAD, which must not change anything. */
  readonly safe: boolean;
  readonly now: Date;
  /** Whether the caller wants JSON from a page for people: `format=json`, or the header `Accept` without HTML. */
  readonly wantsJson: boolean;
  /** The last part of the path, of a page that `isNamed`; absent without one. */
  readonly name?: string;
}

/** A request that changes something. */
export interface ChangeRequest extends Pick<PageRequest, 'name' | 'now'> {
  /** Text of at most 64 KiB. */
  readonly body: string;
}

/** The changes that a page makes. The checks of `AccessPolicy` and of browsers' headers come first. */
export interface PageChange {
  readonly methods: readonly ('POST' | 'PUT')[];
  /** Whether the path has one more part, the name of what is changed. */
  readonly isNamed?: boolean;
  handle(views: Views, request: ChangeRequest): Reply | Promise<Reply>;
}

/** The reply of a page. A page throws errors as HttpProblem. */
export type Reply =
  | { readonly type: 'json'; readonly body: JsonSource }
  | { readonly type: 'text'; readonly text: string; readonly contentType?: string }
  /** Encoded text that several responses share. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  /** A long text, rendered in parts. */
  | { readonly type: 'lines'; readonly lines: Iterable<string> }
  | { readonly type: 'html'; readonly html: Html }
  | { readonly type: 'empty'; readonly status: number }
  /** The page that a change leads back to. */
  | { readonly type: 'redirect'; readonly location: string }
  /** A stream that the page writes and ends. */
  | { readonly type: 'events'; open(response: ServerResponse): void };

/** A query parameter, for the form on the index page. */
export interface PageParameter {
  readonly name: string;
  readonly required: boolean;
  /** Suggestions of the input field; `value` becomes a button or a check box. */
  readonly choice:
    | { readonly type: 'proxy' | 'resource' | 'text' }
    | { readonly type: 'value'; readonly value: string };
}

/** One path of the HTTP server. */
export interface Page {
  readonly path: string;
  readonly description: string;
  /**
   * `operator` pages show configuration, and answer only callers that `AccessPolicy` permits
   * (docs/security.md#what-navigator-guarantees).
   */
  readonly audience: 'anyone' | 'operator';
  readonly parameters?: readonly PageParameter[];
  /** Whether the path may have one more part. */
  readonly isNamed?: boolean;
  /** Absent for a page that changes nothing. */
  readonly change?: PageChange;
  handle(views: Views, request: PageRequest): Reply | Promise<Reply>;
  /** An error of `handle` for people: the whole page with its text. Absent for a page for scripts. */
  renderProblem?(views: Views, text: string): Html;
  /** The part of the page that changes, for /debug/live; absent for a page that does not update itself. */
  liveContent?(views: Views, request: PageRequest): Html | Promise<Html>;
}

export function json(body: JsonSource): Reply {
  return { type: 'json', body };
}

export function text(content: string): Reply {
  return { type: 'text', text: content };
}
