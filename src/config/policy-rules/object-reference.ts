/** A place where the object of a reference may be. */
export interface ReferenceTarget {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The places that a reference can mean, in the order in which they are tried: `name` in the namespace of the object,
 * `name.kind`, `name.namespace` and `name.kind.namespace`. Names may contain dots, so one text can mean several places.
 *
 * @param kind of the object that is named, for example `handler`
 * @param namespace of the object that has the reference
 */
export function referenceTargets(written: string, kind: string, namespace: string): readonly ReferenceTarget[] {
  const own: readonly ReferenceTarget[] = [{ namespace, name: written }];
  const dot = written.lastIndexOf('.');
  if (dot < 0) return own;
  const name = written.slice(0, dot);
  const last = written.slice(dot + 1);
  const withoutKind = name.endsWith(`.${kind}`) ? name.slice(0, -kind.length - 1) : undefined;
  return [...own, ...(last === kind ? [{ namespace, name }] : []), { namespace: last, name: withoutKind ?? name }];
}

/** All texts by which an object can be named in its own namespace or in others: what `referenceTargets` reads. */
export function referenceForms(kind: string, namespace: string, name: string): readonly string[] {
  return [name, `${name}.${namespace}`, `${name}.${kind}.${namespace}`];
}
