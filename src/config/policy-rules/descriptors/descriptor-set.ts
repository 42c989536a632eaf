/** What a FileDescriptorSet says about messages. Full names have no dot at their beginning. */
export interface DescriptorSet {
  readonly files: readonly FileShape[];
  /** By full name, also nested ones. */
  readonly messages: ReadonlyMap<string, MessageShape>;
  /** By full name. */
  readonly enums: ReadonlyMap<string, EnumShape>;
}

export interface FileShape {
  readonly name: string;
  /** Empty for a file without a package. */
  readonly package: string;
  /** Full names of the messages that are in no other message. */
  readonly messages: readonly string[];
  readonly services: readonly ServiceShape[];
  /** Number of a TemplateVariety; undefined for a file that is no template. */
  readonly templateVariety: number | undefined;
  readonly templateName: string | undefined;
}

export interface ServiceShape {
  readonly name: string;
  readonly methods: readonly MethodShape[];
}

export interface MethodShape {
  readonly name: string;
  /** Full names. */
  readonly input: string;
  readonly output: string;
  readonly isStreaming: boolean;
}

export interface MessageShape {
  readonly fullName: string;
  readonly fields: readonly FieldShape[];
  /** Whether it is the entry of a map, with the fields `key` and `value`. */
  readonly isMapEntry: boolean;
}

export interface FieldShape {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  /** Full name of the message or enum; empty for other types. */
  readonly typeName: string;
  readonly isRepeated: boolean;
  /** Place among the oneofs of the message; undefined for a field that excludes no other. */
  readonly oneof: number | undefined;
}

export interface EnumShape {
  /** Numbers by name. */
  readonly values: ReadonlyMap<string, number>;
}

/** The types of fields; their place is their number in google/protobuf/descriptor.proto. */
export const FIELD_TYPES = [
  undefined,
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  'group',
  'message',
  'bytes',
  'uint32',
  'enum',
  'sfixed32',
  'sfixed64',
  'sint32',
  'sint64',
] as const;

export type FieldType = Exclude<(typeof FIELD_TYPES)[number], undefined | 'group'>;
