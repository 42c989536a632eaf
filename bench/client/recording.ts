/** One message that a client received in a phase. */
export interface RecordedMessage {
  readonly typeUrl: string;
  /**
   * How many requests of this type the client had sent in the phase when the message came: 0 for a push,
   * n for the answer to the nth request.
   */
  readonly afterRequests: number;
  readonly sizeBytes: number;
}

/** The smallest message that any client received as the nth of its type in a phase: the floor sends its bytes. */
export interface MessageTemplate {
  readonly typeUrl: string;
  /** Counted from 0 within the type and phase. */
  readonly ordinal: number;
  readonly bytes: Uint8Array;
}

/** All messages that the clients received in one phase; the floor server sends them for the same work. */
export interface Recording {
  /** By client index. */
  readonly clients: readonly (readonly RecordedMessage[])[];
  readonly templates: readonly MessageTemplate[];
}

/** Keeps the smallest message of each type and ordinal. */
export class TemplateCollector {
  readonly #smallest = new Map<string, MessageTemplate>();

  add(template: MessageTemplate): void {
    const key = `${template.ordinal} ${template.typeUrl}`;
    const known = this.#smallest.get(key);
    if (known === undefined || template.bytes.length < known.bytes.length) this.#smallest.set(key, template);
  }

  templates(): readonly MessageTemplate[] {
    return [...this.#smallest.values()];
  }

  clear(): void {
    this.#smallest.clear();
  }
}
