/**
 * Limits of the descriptors of one object. Descriptors of build tools contain those of all imports, some hundred messages
 * and fields.
 */
export const DESCRIPTOR_LIMITS = {
  files: 256,
  /** Messages, fields, enums, their values, services and methods of all files. */
  items: 10_000,
  /** Nesting of messages in a file, and of the fields of one value. */
  depth: 16,
  /** Characters of a name with its package. */
  nameLength: 512,
} as const;
