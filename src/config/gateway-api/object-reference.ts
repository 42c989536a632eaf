import * as Type from 'typebox';

/** Texts of the Gateway API are shorter; the limit is for objects of files. */
export const MAX_TEXT = 4096;
export const MAX_NAME = 253;

export const nameText = (description: string) => Type.String({ description, minLength: 1, maxLength: MAX_NAME });
export const optionalName = (description: string) => Type.Optional(Type.String({ description, maxLength: MAX_NAME }));
export const portNumber = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 1, maximum: 65535 }));

/** A field whose content the mesh does not read; only its presence is told of. */
export const unread = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));

/** Group and kind of an object that a reference names. */
export const groupAndKind = (group: string, kind: string) => ({
  group: Type.String({ description: 'API group; empty for the core group.', default: group, maxLength: MAX_NAME }),
  kind: Type.String({ description: 'Kind of the object.', default: kind, maxLength: MAX_NAME }),
});

/** A reference to an object, by default of the namespace of the object that refers to it. */
export const objectReference = (group: string, kind: string) => ({
  ...groupAndKind(group, kind),
  name: nameText('Name of the object.'),
  namespace: optionalName('Namespace of the object. Another namespace must allow it with a ReferenceGrant.'),
});
