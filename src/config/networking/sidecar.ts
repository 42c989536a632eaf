import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a Sidecar. */
export const sidecarSchema = Type.Object(
  {},
  { additionalProperties: false, description: 'What the sidecars of workloads see and serve.' },
);

export type SidecarSpec = Immutable<Static<typeof sidecarSchema>>;
