import * as Type from 'typebox';

/** A core v1 Namespace: the model reads nothing but its metadata. */
export const namespaceSchema = Type.Object({});
