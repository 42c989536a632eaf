import type { Reader } from 'protobufjs';
import protobuf from 'protobufjs';

/** The parts of a Check that select its fail policy. */
export interface CheckOutline {
  readonly isTcp: boolean;
  /** The context extension with the given name. */
  readonly extension: string | undefined;
}

/** Numbers of fields in envoy.service.auth.v3.CheckRequest, AttributeContext and its Request. */
const CHECK_ATTRIBUTES = 1;
const ATTRIBUTES_REQUEST = 4;
const ATTRIBUTES_EXTENSIONS = 10;
const REQUEST_HTTP = 2;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

/**
 * Reads a Check without decoding headers and addresses, which are most of it. Fields may come in any order.
 *
 * @param extensionName of the wanted context extension
 * @throws an error of the reader for an invalid message
 */
export function readCheckOutline(bytes: Uint8Array, extensionName: string): CheckOutline {
  let isTcp = true;
  let extension: string | undefined;
  const readRequest = (reader: Reader, end: number): void => {
    eachField(reader, end, (field) => {
      if (field === REQUEST_HTTP) isTcp = false;
      return false;
    });
  };
  const readExtension = (reader: Reader, end: number): void => {
    let key = '';
    let value = '';
    eachField(reader, end, (field) => {
      if (field === ENTRY_KEY) key = reader.string();
      else if (field === ENTRY_VALUE) value = reader.string();
      else return false;
      return true;
    });
    if (key === extensionName) extension = value;
  };
  const readAttributes = (reader: Reader, end: number): void => {
    eachField(reader, end, (field) => {
      if (field !== ATTRIBUTES_REQUEST && field !== ATTRIBUTES_EXTENSIONS) return false;
      const read = field === ATTRIBUTES_REQUEST ? readRequest : readExtension;
      const length = reader.uint32();
      read(reader, reader.pos + length);
      return true;
    });
  };
  const whole = protobuf.Reader.create(bytes);
  eachField(whole, whole.len, (field) => {
    if (field !== CHECK_ATTRIBUTES) return false;
    const length = whole.uint32();
    readAttributes(whole, whole.pos + length);
    return true;
  });
  return { isTcp, extension };
}

/** @param take returns whether it has read the field; other fields are skipped */
function eachField(reader: Reader, end: number, take: (field: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const position = reader.pos;
    // Groups and other wire types are skipped for every field number.
    if ((tag & 7) !== 2 || !take(tag >>> 3)) {
      reader.pos = position;
      reader.skipType(tag & 7);
    }
  }
}
