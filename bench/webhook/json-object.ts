/** An object of Kubernetes, or a part of one, as JSON has it. */
export type JsonObject = Readonly<Record<string, unknown>>;
