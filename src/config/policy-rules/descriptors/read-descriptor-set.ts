import { DescriptorError } from './descriptor-error.js';
import { DESCRIPTOR_LIMITS } from './descriptor-limits.js';
import {
  type DescriptorSet,
  type EnumShape,
  FIELD_TYPES,
  type FieldShape,
  type FileShape,
  type MessageShape,
  type MethodShape,
  type ServiceShape,
} from './descriptor-set.js';
import { type WireField, wireFields, wireText } from './wire-fields.js';

const TOOL = 'use the output of protoc --include_imports --descriptor_set_out, in base64';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PACKAGE = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const REPEATED = 3;
const TEMPLATE_VARIETY = 72295727;
const TEMPLATE_NAME = 72295888;

/**
 * Reads a FileDescriptorSet in base64, as build tools write it: lines may be wrapped. Comments and options that nothing
 * here uses are skipped.
 *
 * @throws DescriptorError for anything else, and for more than the limits
 */
export function readDescriptorSet(text: string): DescriptorSet {
  const written = text.replace(/\s/g, '');
  if (written.length % 4 !== 0 || !BASE64.test(written)) throw new DescriptorError('is not base64', TOOL);
  const set = new SetReader();
  try {
    for (const field of wireFields(Buffer.from(written, 'base64'))) {
      if (field.number === 1 && field.type === 'bytes') set.readFile(field.value);
    }
  } catch (cause) {
    if (cause instanceof DescriptorError) throw cause;
    throw new DescriptorError('is not a FileDescriptorSet', TOOL);
  }
  if (set.files.length === 0) throw new DescriptorError('is not a FileDescriptorSet', TOOL);
  return set;
}

class SetReader implements DescriptorSet {
  readonly files: FileShape[] = [];
  readonly messages = new Map<string, MessageShape>();
  readonly enums = new Map<string, EnumShape>();
  #items = 0;

  readFile(bytes: Uint8Array): void {
    if (this.files.length >= DESCRIPTOR_LIMITS.files) throw tooMany('files', DESCRIPTOR_LIMITS.files);
    const fields = fieldsOf(bytes);
    const packageName = textOf(fields, 2);
    if (packageName !== '' && !PACKAGE.test(packageName)) throw badName(packageName);
    const messages = messagesIn(fields, 4).map((each) => this.#readMessage(each, packageName, 1));
    for (const each of messagesIn(fields, 5)) this.#readEnum(each, packageName);
    const options = messagesIn(fields, 8).flatMap(fieldsOf);
    this.files.push({
      name: textOf(fields, 1).slice(0, DESCRIPTOR_LIMITS.nameLength),
      package: packageName,
      messages,
      services: messagesIn(fields, 6).map((each) => this.#readService(each)),
      templateVariety: numberOf(options, TEMPLATE_VARIETY),
      templateName: options.some(({ number }) => number === TEMPLATE_NAME) ? textOf(options, TEMPLATE_NAME) : undefined,
    });
  }

  #readMessage(bytes: Uint8Array, scope: string, depth: number): string {
    if (depth > DESCRIPTOR_LIMITS.depth) throw tooMany('levels of messages', DESCRIPTOR_LIMITS.depth);
    this.#count();
    const fields = fieldsOf(bytes);
    const fullName = nameIn(scope, textOf(fields, 1));
    for (const each of messagesIn(fields, 3)) this.#readMessage(each, fullName, depth + 1);
    for (const each of messagesIn(fields, 4)) this.#readEnum(each, fullName);
    const options = messagesIn(fields, 7).flatMap(fieldsOf);
    this.messages.set(fullName, {
      fullName,
      fields: messagesIn(fields, 2).map((each) => this.#readField(each)),
      isMapEntry: numberOf(options, 7) === 1,
    });
    return fullName;
  }

  #readField(bytes: Uint8Array): FieldShape {
    this.#count();
    const fields = fieldsOf(bytes);
    const name = textOf(fields, 1);
    if (!IDENTIFIER.test(name)) throw badName(name);
    const type = FIELD_TYPES[numberOf(fields, 5) ?? 0];
    if (type === undefined || type === 'group') {
      throw new DescriptorError(`has the field ${name} of an unknown type`, 'use types of proto3');
    }
    return {
      name,
      number: numberOf(fields, 3) ?? 0,
      type,
      typeName: textOf(fields, 6).replace(/^\./, ''),
      isRepeated: numberOf(fields, 4) === REPEATED,
      oneof: numberOf(fields, 9),
    };
  }

  #readEnum(bytes: Uint8Array, scope: string): void {
    this.#count();
    const fields = fieldsOf(bytes);
    const values = messagesIn(fields, 2).map((each): readonly [string, number] => {
      this.#count();
      const value = fieldsOf(each);
      return [textOf(value, 1), numberOf(value, 2) ?? 0];
    });
    this.enums.set(nameIn(scope, textOf(fields, 1)), { values: new Map(values) });
  }

  #readService(bytes: Uint8Array): ServiceShape {
    this.#count();
    const fields = fieldsOf(bytes);
    return {
      name: nameIn('', textOf(fields, 1)),
      methods: messagesIn(fields, 2).map((each) => this.#readMethod(each)),
    };
  }

  #readMethod(bytes: Uint8Array): MethodShape {
    this.#count();
    const fields = fieldsOf(bytes);
    return {
      name: nameIn('', textOf(fields, 1)),
      input: textOf(fields, 2).replace(/^\./, ''),
      output: textOf(fields, 3).replace(/^\./, ''),
      isStreaming: numberOf(fields, 5) === 1 || numberOf(fields, 6) === 1,
    };
  }

  #count(): void {
    this.#items++;
    if (this.#items > DESCRIPTOR_LIMITS.items) throw tooMany('messages and fields', DESCRIPTOR_LIMITS.items);
  }
}

function fieldsOf(bytes: Uint8Array): readonly WireField[] {
  const fields: WireField[] = [];
  for (const field of wireFields(bytes)) {
    fields.push(field);
    if (fields.length > DESCRIPTOR_LIMITS.items) throw tooMany('messages and fields', DESCRIPTOR_LIMITS.items);
  }
  return fields;
}

function messagesIn(fields: readonly WireField[], number: number): readonly Uint8Array[] {
  return fields.flatMap((field) => (field.number === number && field.type === 'bytes' ? field.value : []));
}

/** The last value, as messages are read. */
function numberOf(fields: readonly WireField[], number: number): number | undefined {
  return fields.findLast((field) => field.number === number && field.type === 'varint')?.value as number | undefined;
}

function textOf(fields: readonly WireField[], number: number): string {
  const found = fields.findLast((field) => field.number === number && field.type === 'bytes');
  return found?.type === 'bytes' ? wireText(found.value) : '';
}

function nameIn(scope: string, name: string): string {
  const fullName = scope === '' ? name : `${scope}.${name}`;
  if (!IDENTIFIER.test(name) || fullName.length > DESCRIPTOR_LIMITS.nameLength) throw badName(name);
  return fullName;
}

function badName(name: string): DescriptorError {
  return new DescriptorError(`has the name ${JSON.stringify(name.slice(0, 80))}`, 'use names of letters, digits and _');
}

function tooMany(what: string, limit: number): DescriptorError {
  return new DescriptorError(`has more than ${limit} ${what}`, 'describe only the files that are needed');
}
