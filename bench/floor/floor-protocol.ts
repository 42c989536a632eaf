import type { Recording } from '../client/recording.js';

/** What the bench asks of the floor server's process. Each command is answered by one `done` or `listening`. */
export type FloorCommand =
  | { readonly kind: 'load'; readonly recording: Recording }
  /** Write what the loaded phase pushes to every stream. */
  | { readonly kind: 'push' };

export type FloorReport = { readonly kind: 'listening'; readonly port: number } | { readonly kind: 'done' };
