/** The test that shows what a field changes for a caller. */
export interface FieldTest {
  /** Its title, or the part of it that the source has as a text. */
  readonly test: string;
  /** Below `test/`, where it is not in the file of the kind. */
  readonly file?: string;
  /** Admission refuses the field or value: no golden case has it, and the test shows the refusal. */
  readonly refused?: true;
}

/** The tests of the fields of one kind. */
export interface KindFields {
  readonly kind: string;
  /** Below `test/`, of most tests. */
  readonly file: string;
  /** By `Message.field`, or `Enum.VALUE`, with the names of `messages.ts`; a text is the title of the test. */
  readonly fields: Readonly<Record<string, string | FieldTest>>;
}
