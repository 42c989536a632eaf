import { type Static, Type } from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** A core v1 Namespace: the model reads nothing but its metadata. */
export const namespaceSchema = Type.Object({});

export type NamespaceBody = Immutable<Static<typeof namespaceSchema>>;
