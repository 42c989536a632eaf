import { rpcCodeOf } from '../../../base/rpc-code.js';
import { wireFields, wireText } from '../../../config/policy-rules/descriptors/wire-fields.js';
import type { PolicyStatus, RouteDirective } from '../../client/policy-status.js';

/** A google.rpc.Status with what it says about the answer to a refused request. */
export interface AdapterStatus {
  readonly status: PolicyStatus;
  readonly directive?: RouteDirective;
}

/** Limits of what an adapter may put into the answer to a caller. */
const MAX_MESSAGE = 4096;
const MAX_BODY = 64 * 1024;
const MAX_HEADERS = 64;
const MAX_HEADER = 8 * 1024;
const MIN_CODE = 200;
const MAX_CODE = 599;
const DIRECT_RESPONSE = /\/istio\.policy\.v1beta1\.DirectHttpResponse$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Headers of the connection, which the server of the answer writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Tab and printable characters of Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @throws Error for bytes that are no message */
export function readStatus(bytes: Uint8Array): AdapterStatus {
  let code = 0;
  let message = '';
  let directive: RouteDirective | undefined;
  for (const field of wireFields(bytes)) {
    if (field.type === 'varint') {
      if (field.number === 1) code = field.value;
    } else if (field.number === 2) message = shortText(field.value, MAX_MESSAGE);
    else if (field.number === 3) directive = readDetail(field.value) ?? directive;
  }
  return { status: { code: rpcCodeOf(code), message }, ...(directive && { directive }) };
}

/** Details of other types are for readers of logs, and there are none here. */
function readDetail(any: Uint8Array): RouteDirective | undefined {
  let typeUrl = '';
  let value: Uint8Array = new Uint8Array();
  for (const field of wireFields(any)) {
    if (field.type !== 'bytes') continue;
    if (field.number === 1) typeUrl = wireText(field.value);
    else if (field.number === 2) value = field.value;
  }
  return DIRECT_RESPONSE.test(typeUrl) ? readDirectResponse(value) : undefined;
}

function readDirectResponse(bytes: Uint8Array): RouteDirective {
  let code = 0;
  let body = '';
  const headers = new Map<string, string>();
  for (const field of wireFields(bytes)) {
    if (field.type === 'varint') {
      if (field.number === 1) code = field.value;
    } else if (field.number === 2) body = shortText(field.value, MAX_BODY);
    else if (field.number === 3 && headers.size < MAX_HEADERS) {
      const [name, value] = readEntry(field.value);
      if (isHeader(name, value)) headers.set(name, value);
    }
  }
  return {
    // Envoy resets a request whose answer has another code.
    directResponseCode: code >= MIN_CODE && code <= MAX_CODE ? code : 0,
    directResponseBody: body,
    ...(headers.size > 0 && { directResponseHeaders: Object.fromEntries(headers) }),
  };
}

function isHeader(name: string, value: string): boolean {
  if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name)) return false;
  return value.length <= MAX_HEADER && HEADER_VALUE.test(value);
}

/** An entry of a map of texts. The name is lower-case, as HTTP/2 has it. */
function readEntry(bytes: Uint8Array): readonly [name: string, value: string] {
  let name = '';
  let value = '';
  for (const field of wireFields(bytes)) {
    if (field.type !== 'bytes') continue;
    if (field.number === 1) name = wireText(field.value).toLowerCase();
    else if (field.number === 2) value = wireText(field.value);
  }
  return [name, value];
}

function shortText(bytes: Uint8Array, limit: number): string {
  return wireText(bytes.subarray(0, limit));
}
