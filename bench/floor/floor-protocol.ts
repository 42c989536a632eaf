import type { Recording } from '../client/recording.js';

/** Commands of the benchmark to the floor server's process. It answers each with one `done` or `listening`. */
export type FloorCommand =
  | { readonly kind: 'load'; readonly recording: Recording }
  /** Sends the pushes of the loaded phase to every stream. */
  | { readonly kind: 'push' };

export type FloorReport = { readonly kind: 'listening'; readonly port: number } | { readonly kind: 'done' };
