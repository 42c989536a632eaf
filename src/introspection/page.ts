import type { Html } from './html.js';
import type { JsonSource } from './json-source.js';
import type { Views } from './views.js';

/** What a page reads of a request. */
export interface PageRequest {
  readonly query: URLSearchParams;
  /** True for HEAD, which must not change anything. */
  readonly safe: boolean;
  readonly now: Date;
}

/** What a page answers; errors are thrown as HttpProblem. */
export type Reply =
  | { readonly type: 'json'; readonly body: JsonSource }
  | { readonly type: 'text'; readonly text: string; readonly contentType?: string }
  /** Text that answers share as it is, already encoded. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  /** Text too long to be made at once. */
  | { readonly type: 'lines'; readonly lines: Iterable<string> }
  | { readonly type: 'html'; readonly html: Html }
  | { readonly type: 'empty'; readonly status: number };

/** A query parameter, as the index page offers it. */
export interface PageParameter {
  readonly name: string;
  readonly required: boolean;
  /** What the index offers to pick from; a fixed value becomes a button. */
  readonly choice:
    | { readonly type: 'proxy' | 'resource' | 'text' }
    | { readonly type: 'value'; readonly value: string };
}

/** One path of the HTTP surface. */
export interface Page {
  readonly path: string;
  readonly description: string;
  /** `operator` pages show configuration and answer only callers that may read it (DESIGN 8). */
  readonly audience: 'anyone' | 'operator';
  readonly parameters?: readonly PageParameter[];
  handle(views: Views, request: PageRequest): Reply | Promise<Reply>;
}

export function json(body: JsonSource): Reply {
  return { type: 'json', body };
}

export function text(content: string): Reply {
  return { type: 'text', text: content };
}
