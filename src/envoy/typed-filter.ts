import type { PackedAny } from './message-encoder.js';

/** A network filter, HTTP filter or access logger: its extension's name and configuration. */
export interface TypedFilter {
  name: string;
  typedConfig: PackedAny;
}
